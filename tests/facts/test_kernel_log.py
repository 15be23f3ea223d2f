import os
import time
from pathlib import Path

import pytest
from facts.fake_tree import plant
from programs import LONGEST_SECONDS

from fitguard.facts import kernel_log
from fitguard.schema.exit_codes import UnreadableInput

XID = "NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen off the bus."


def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Makes these programs, and no others, the ones on PATH; they may take their time."""
    folder = tmp_path / "bin"
    plant(folder, {name: f"#!/bin/sh\n{script}\n" for name, script in scripts.items()})
    for name in scripts:
        (folder / name).chmod(0o755)
    folder.mkdir(exist_ok=True)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(kernel_log, "COMMAND_LIMIT_SECONDS", LONGEST_SECONDS)


def fifo_with(root: Path, records: bytes) -> int:
    """A /dev/kmsg that gives these bytes and then would block, as the real one does."""
    (root / "dev").mkdir(parents=True)
    os.mkfifo(root / "dev/kmsg")
    end = os.open(root / "dev/kmsg", os.O_RDWR | os.O_NONBLOCK)
    os.write(end, records)
    return end


def test_kmsg_record(tmp_path: Path) -> None:
    end = fifo_with(tmp_path, f"4,812,8659726062,-;{XID}\n SUBSYSTEM=pci\n".encode())
    try:
        log = kernel_log.read(tmp_path)
    finally:
        os.close(end)
    assert (log.readable, log.origin) == (True, "/dev/kmsg")
    assert [xid.text for xid in log.xids] == [f"[ 8659.726062] {XID}"]


def test_real_kmsg_of_this_machine_is_read_or_refused() -> None:
    log = kernel_log.read()
    assert log.readable or log.problem


def test_dmesg_where_there_is_no_kmsg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs(tmp_path, monkeypatch, dmesg=f"echo '[ 1.0] {XID}'")
    log = kernel_log.read(tmp_path)
    assert (log.readable, log.origin, len(log.xids)) == (True, "dmesg", 1)


def test_journal_where_dmesg_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs(
        tmp_path,
        monkeypatch,
        dmesg="echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1",
        journalctl=f"echo '[    1.000000] kernel: {XID}'",
    )
    log = kernel_log.read(tmp_path)
    assert (log.readable, log.origin, len(log.xids)) == (True, "journalctl", 1)


def test_the_journal_is_searched_and_its_order_is_that_of_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(
        tmp_path,
        monkeypatch,
        journalctl='case "$*" in *--reverse*--lines=2000*--grep=NVRM*) ;; *) exit 1;; esac\n'
        "echo '[ 9.0] kernel: NVRM: Xid (PCI:0000:01:00): 79, the second'\n"
        "echo '[ 5.0] kernel: NVRM: API mismatch: the client has 1'\n"
        "echo '              NVRM: and the module has 2'\n"
        "echo '[ 1.0] kernel: NVRM: Xid (PCI:0000:01:00): 13, the first'",
    )
    log = kernel_log.read(tmp_path)
    assert [xid.number for xid in log.xids] == [13, 79]
    assert [line.count("module has 2") for line in log.module_messages] == [1]


def test_a_journalctl_that_cannot_search_is_asked_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(
        tmp_path,
        monkeypatch,
        journalctl='case "$*" in *--grep*) echo "Compiled without pattern matching" >&2; exit 1;;'
        f" esac\necho '[ 1.0] kernel: {XID}'",
    )
    log = kernel_log.read(tmp_path)
    assert (log.readable, log.origin, len(log.xids)) == (True, "journalctl", 1)


def test_the_journal_does_not_hold_up_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What it found before the limit counts.
    programs(tmp_path, monkeypatch, journalctl=f"echo '[ 1.0] {XID}'; exec /bin/sleep 600")
    monkeypatch.setattr(kernel_log, "COMMAND_LIMIT_SECONDS", 3.0)
    start = time.monotonic()
    log = kernel_log.read(tmp_path)
    assert time.monotonic() - start < LONGEST_SECONDS
    assert len(log.xids) == 1


def test_nothing_readable_is_a_fact_with_reasons(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs(
        tmp_path,
        monkeypatch,
        dmesg="echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1",
        journalctl="exit 0",
    )
    log = kernel_log.read(tmp_path)
    assert log.readable is False
    assert log.problem == (
        "/dev/kmsg: not here; "
        "dmesg: dmesg: read kernel buffer failed: Operation not permitted; "
        "journalctl: no lines"
    )


def test_no_programs_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs(tmp_path, monkeypatch)
    log = kernel_log.read(tmp_path)
    assert log.readable is False
    assert "journalctl: No such file or directory" in (log.problem or "")


def test_kmsg_that_is_refused_goes_straight_to_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Root may read every file, but not a directory.
    plant(tmp_path, {"dev/kmsg/": ""})
    programs(tmp_path, monkeypatch, dmesg=f"echo '{XID}'", journalctl="exit 1")
    log = kernel_log.read(tmp_path)
    assert log.readable is False
    assert log.problem == "/dev/kmsg: Is a directory; journalctl: no lines"


def test_program_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs(tmp_path, monkeypatch, dmesg="exec /bin/sleep 600", journalctl="exit 0")
    monkeypatch.setattr(kernel_log, "COMMAND_LIMIT_SECONDS", 1.0)
    start = time.monotonic()
    log = kernel_log.read(tmp_path)
    assert time.monotonic() - start < LONGEST_SECONDS
    assert "dmesg: no answer within 1 s" in (log.problem or "")


def test_saved_file_gives_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "kern.log"
    path.write_bytes(b"\xff\xfe\x00 garbage\n" + f"[ 1.0] {XID}\n".encode())
    log = kernel_log.read_file(path)
    assert [(xid.number, xid.line, xid.source) for xid in log.xids] == [(79, 2, str(path))]


@pytest.mark.parametrize("name", ["missing.log", "."])
def test_file_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    with pytest.raises(UnreadableInput, match=r"Received .*Expected a text file"):
        kernel_log.read_file(tmp_path / name)
