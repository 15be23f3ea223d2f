"""Files of a run folder: what is no regular file is refused, and nothing is open to others."""

import errno
import os

import pytest

from fitguard.monitor.flight_record import read_flight_records
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.journal import Journal
from fitguard.monitor.regular_files import (
    make_folder,
    open_regular,
    read_end,
    read_lines,
    read_regular,
    replace_file,
)
from fitguard.monitor.run_folder import create_runs_folder
from fitguard.schema.journal import RunEnded

ENDED = RunEnded(time=1.0, state="finished", exit_code=0)
WRITING = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def link(path):
    (path.parent / "target").write_text("mine")
    path.symlink_to("target")


def dangling(path):
    path.symlink_to("nowhere")


def device(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [link, dangling, device, os.mkfifo, os.mkdir])
@pytest.mark.parametrize("flags", [os.O_RDONLY, WRITING, os.O_RDWR | os.O_CREAT])
def test_only_regular_files_are_opened(make, flags, tmp_path):
    make(tmp_path / "file")
    with pytest.raises(OSError, match=r"regular file|directory"):
        open_regular(tmp_path / "file", flags)
    assert not (tmp_path / "nowhere").exists()
    if make is link:
        assert (tmp_path / "target").read_text() == "mine"


def test_only_so_much_is_read(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"0123456789")
    assert read_regular(file, 10) == b"0123456789"
    assert (read_end(file, 4), read_end(file, 4, start=8)) == (b"6789", b"89")
    with pytest.raises(OSError, match="longer than 9 bytes") as caught:
        read_regular(file, 9)
    assert caught.value.errno == errno.EFBIG
    os.truncate(file, 1 << 40)
    with pytest.raises(OSError, match="longer than"):
        read_regular(file, 1 << 20)


def test_of_too_many_lines_the_first_and_the_last_are_read(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"first\n" + b"middle\n" * 9 + b"last\n")
    assert read_lines(file, 8, 6) == b"first\n\nle\nlast\n"
    assert read_lines(file, 74, 6) == file.read_bytes()


def test_a_page_takes_the_place_of_a_link(tmp_path):
    link(tmp_path / "report.html")
    (tmp_path / f".report.html.{os.getpid()}").symlink_to("target")
    replace_file(tmp_path / "report.html", b"page")
    assert (tmp_path / "target").read_text() == "mine"
    assert (tmp_path / "report.html").read_bytes() == b"page"
    assert not (tmp_path / "report.html").is_symlink()


def test_journal_and_samples_do_not_follow_links(tmp_path):
    for name in ("journal", "samples"):
        (tmp_path / name).symlink_to("target")
    (tmp_path / "target").write_text("mine\n")
    assert not Journal(tmp_path / "journal").append(ENDED)
    recorder = FlightRecorder(tmp_path / "samples", ("loss",))
    recorder.add(1.0, 1, {"loss": 1.0})
    assert isinstance(recorder.problem, OSError)
    assert (tmp_path / "target").read_text() == "mine\n"
    with pytest.raises(OSError, match="regular file"):
        Journal(tmp_path / "journal").read()
    assert read_flight_records([tmp_path / "samples"]).columns == {}


@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_what_is_made_is_for_its_owner_alone(umask, tmp_path):
    before = os.umask(umask)
    try:
        create_runs_folder(tmp_path / "more" / "runs")
        folder = tmp_path / "more" / "runs" / "run"
        folder.mkdir(0o700)
        make_folder(folder / "files" / "kept", folder)
        Journal(folder / "journal").append(ENDED)
        FlightRecorder(folder / "flight" / "child.record", ("loss",)).close()
        replace_file(folder / "page", b"")
    finally:
        os.umask(before)
    made = [folder.parent, *folder.parent.rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in made if path.is_dir()} == {0o700}
    assert {path.stat().st_mode & 0o777 for path in made if path.is_file()} == {0o600}


def test_a_run_folder_that_is_gone_is_not_made_again(tmp_path):
    gone = tmp_path / "runs" / "run"
    with pytest.raises(FileNotFoundError):
        make_folder(gone / "files" / "kept", gone)
    recorder = FlightRecorder(gone / "flight" / "child.record", ("loss",))
    assert isinstance(recorder.problem, FileNotFoundError)
    assert not (tmp_path / "runs").exists()
