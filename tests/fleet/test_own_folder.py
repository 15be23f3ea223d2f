"""What a killed fleet has left is removed, and nothing else."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from fitguard.fleet.own_folder import making_folder, remove_left_behind

HOLDS = (
    "import sys, time; from fitguard.fleet.own_folder import making_folder\n"
    "with making_folder() as folder: print(folder, flush=True); time.sleep(600)"
)


@pytest.fixture
def place(monkeypatch):
    """A short one, where this and other processes make their folders."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


@pytest.fixture
def holder(place):
    """Another process with such a folder, which is killed."""
    del place
    process = subprocess.Popen([sys.executable, "-c", HOLDS], stdout=subprocess.PIPE, text=True)
    yield process, process.stdout.readline().strip()
    process.kill()
    process.communicate()


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_it_goes_with_its_fleet(place):
    with making_folder() as folder:
        assert folder.parent == place
    assert not list(place.iterdir())


def test_the_next_fleet_removes_what_a_killed_one_has_left(place, holder):
    process, left = holder
    with making_folder():
        assert Path(left).is_dir()  # it lives
    kill(process)
    with making_folder():
        assert not Path(left).exists()
    assert not list(place.iterdir())


def test_it_stays_while_a_process_names_it(place, holder):
    process, left = holder
    kill(process)
    other = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "print(flush=True); import time; time.sleep(600)",
            f"--dir={left}/x",
        ],
        stdout=subprocess.PIPE,
    )
    try:
        other.stdout.readline()  # until then, its command line is that of this process
        remove_left_behind(place)
        assert Path(left).is_dir()
    finally:
        kill(other)
    remove_left_behind(place)
    assert not Path(left).exists()


def test_what_is_not_ours_stays(place, holder):
    process, left = holder
    kill(process)
    Path(left).rename(place / "real")
    (place / "fg-linkedto").mkdir()  # ten letters
    (place / "fg-abcdefgh").symlink_to(place / "real")
    (place / "fg-nolock12").mkdir()
    (place / "fg-linklock").mkdir()
    (place / "fg-a-file12").write_text("")
    lock = place / "fg-lnklock1"
    lock.mkdir()
    (lock / "fitguard-fleet.lock").symlink_to(place / "real" / "fitguard-fleet.lock")
    before = sorted(place.iterdir())
    remove_left_behind(place)
    assert sorted(place.iterdir()) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_stays(place, holder):
    process, left = holder
    kill(process)
    os.chown(left, 65534, 65534)
    remove_left_behind(place)
    assert Path(left).is_dir()
