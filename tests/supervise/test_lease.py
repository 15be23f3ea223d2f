"""Two hosts, one folder, no locks: never two that train, and never none for long."""

import errno
import os
import signal
import threading
import time
from pathlib import Path

import msgspec
import pytest
from programs import wait_for
from supervise.parents import UNTIL_TOLD, Parent
from supervise.strange_host import StrangeHosts

from fitguard.monitor.journal import Journal
from fitguard.monitor.lease_files import (
    LEASE_BYTES,
    Lease,
    find_number,
    is_superseded,
    lease_path,
    read_lease,
)
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import AttemptStarted, SnapshotWritten
from fitguard.supervise.lease import AlreadyGuarded, LeaseLost, leasing_run
from fitguard.supervise.lock import find_holder, seems_guarded

FOREIGN = Lease(number=4, host="node-a", boot="of-node-a", pid=1, lasts_seconds=1.0)
SAVES = """
import pathlib, time
for step in training.steps(20):
    training.save()
    print("step", step, flush=True)
    while training.attempt == 1 and step == 3 and not pathlib.Path("lost").exists():
        time.sleep(0.05)
"""


@pytest.fixture
def folder(tmp_path):
    return RunFolder(tmp_path)


def leave(folder, lease):
    """A lease as a process leaves it that is gone."""
    content = msgspec.json.encode(lease).ljust(LEASE_BYTES)
    lease_path(folder.path, lease.number).write_bytes(content)


def test_numbers_only_rise_and_a_lease_that_was_released_is_not_waited_for(folder):
    said = []
    for number in (1, 2, 3):
        with leasing_run(folder, 600.0, locked=False, say=said.append) as lease:
            assert lease.number == number
            lease.check()
            assert read_lease(folder.path).lease.pid == os.getpid()
        assert read_lease(folder.path).lease.released
    assert said == []
    assert sorted(path.name for path in folder.path.iterdir()) == [
        "lease.0000000002",
        "lease.0000000003",
    ]


def test_a_lease_of_a_dead_host_runs_out(folder):
    leave(folder, FOREIGN)
    said = []
    before = time.monotonic()
    with leasing_run(folder, 5.0, locked=True, say=said.append) as lease:
        assert lease.number == 5
        assert lease.before == FOREIGN
    assert time.monotonic() - before >= 1.0
    assert said == [
        f"process 1 on node-a may still guard the run {folder.id}. Waiting 1 s to see whether it "
        "is alive."
    ]


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_of_many_that_wait_one_gets_it(folder, links, monkeypatch):
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refuse_link)
    leave(folder, FOREIGN)
    results = []
    all_tried = threading.Barrier(8)

    def take():
        try:
            with leasing_run(folder, 60.0, locked=False, say=lambda _: None) as lease:
                results.append(lease.number)
                all_tried.wait()
        except AlreadyGuarded:
            results.append("refused")
            all_tried.wait()

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results, key=str) == [5, *["refused"] * 7]


def refuse_link(*_):
    raise PermissionError(errno.EPERM, "no links here")


def test_who_renews_a_lease_keeps_it(folder):
    leave(folder, msgspec.structs.replace(FOREIGN, lasts_seconds=60.0))

    def renew(_said):
        leave(folder, msgspec.structs.replace(FOREIGN, lasts_seconds=60.0, renewals=1))

    # Said before the waiting: what comes after that is a sign of life.
    expected = pytest.raises(UsageError, match="process 1 on node-a guards now")
    with expected, leasing_run(folder, 5.0, locked=True, say=renew_later(renew)):
        pass


def renew_later(renew):
    return lambda said: threading.Timer(0.5, renew, [said]).start()


@pytest.mark.parametrize("content", [b"", b"{", b"\xff" * 600, b"{}"])
def test_one_that_cannot_be_read_is_waited_for(folder, content, monkeypatch):
    monkeypatch.setattr("fitguard.supervise.lease.LASTS_SECONDS", 1.0)
    lease_path(folder.path, 7).write_bytes(content)
    said = []
    with leasing_run(folder, 5.0, locked=True, say=said.append) as lease:
        assert lease.number == 8
    assert "another process may still guard" in said[0]


def test_a_link_in_its_place_is_not_followed(folder, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("kept")
    lease_path(folder.path, 1).symlink_to(secret)
    with pytest.raises(UsageError), leasing_run(folder, 5.0, locked=True, say=print):
        pass
    assert secret.read_text() == "kept"


def test_who_was_taken_over_notices_and_writes_nothing(folder):
    with leasing_run(folder, 0.6, locked=True, say=print) as lease:
        leave(folder, msgspec.structs.replace(FOREIGN, number=2, host="node-b"))
        assert is_superseded(folder.path, lease.number)
        wait_for(lambda: lease_is_lost(lease))
        with pytest.raises(LeaseLost, match="process 1 on node-b has taken it over"):
            lease.check()
        before = lease_path(folder.path, 1).read_bytes()
    assert lease_path(folder.path, 1).read_bytes() == before
    assert not read_lease(folder.path).lease.released


def lease_is_lost(lease):
    try:
        lease.check()
    except LeaseLost:
        return True
    return False


def test_a_process_of_this_machine_is_asked_for_by_its_start(folder):
    with leasing_run(folder, 5.0, locked=False, say=print):
        ours = read_lease(folder.path).lease
    gone = msgspec.structs.replace(ours, number=2, released=False, started=ours.started - 1)
    leave(folder, gone)
    said = []
    with leasing_run(folder, 5.0, locked=False, say=said.append) as lease:
        assert (lease.number, said) == (3, [])
        assert find_holder(folder) is None  # no lock file
    leave(folder, msgspec.structs.replace(ours, number=4, released=False))
    folder.lock.touch()
    assert seems_guarded(folder) is False  # the lock is there, and free
    leave(folder, msgspec.structs.replace(FOREIGN, number=5, renewed=time.time()))
    assert seems_guarded(folder)
    leave(folder, msgspec.structs.replace(FOREIGN, number=6, renewed=time.time() - 3600))
    assert not seems_guarded(folder)


def on(hosts, name, folder, text, monkeypatch, **options):
    """A parent on another host."""
    with monkeypatch.context() as patch:
        for variable, value in hosts.environment(name).items():
            patch.setenv(variable, value)
        return Parent(folder, text, name="n", resume="auto", **options)


def test_a_second_host_is_refused_while_the_first_one_trains(tmp_path, monkeypatch):
    hosts = StrangeHosts(tmp_path)
    first = on(hosts, "node-a", tmp_path, UNTIL_TOLD, monkeypatch, lease_seconds=12)
    first.until("step 3")
    second = on(hosts, "node-b", tmp_path, UNTIL_TOLD, monkeypatch, lease_seconds=12)
    assert second.ended() == 2
    assert f"process {first.process.pid} on node-a guards now" in second.err
    (tmp_path / "enough").touch()
    assert first.ended() == 0


def test_a_host_that_is_lost_is_taken_over_and_never_writes_again(tmp_path, monkeypatch):
    hosts = StrangeHosts(tmp_path)
    first = on(hosts, "node-a", tmp_path, SAVES, monkeypatch, lease_seconds=2)
    first.until("step 3")
    run = RunFolder(tmp_path / "runs" / "n")
    (started,) = (e for e in Journal(run.journal).read() if isinstance(e, AttemptStarted))
    pids = (first.process.pid, started.pid)
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    (tmp_path / "lost").touch()
    second = on(hosts, "node-b", tmp_path, SAVES, monkeypatch, lease_seconds=2)
    assert second.ended() == 0, second.err
    assert find_number(run.path) == 2
    journal, document = run.journal.read_bytes(), run.document.read_bytes()
    for pid in reversed(pids):
        os.kill(pid, signal.SIGCONT)
    assert first.ended() == 2
    assert (run.journal.read_bytes(), run.document.read_bytes()) == (journal, document)
    assert "lost the run n: process" in second.err  # both write into one file
    events = Journal(run.journal).read()
    attempts = [event.attempt for event in events if isinstance(event, SnapshotWritten)]
    assert attempts == [1] * 4 + [2] * 17  # one step is taken again
