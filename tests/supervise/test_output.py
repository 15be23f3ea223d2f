"""The output of a training arrives whole: slow readers, readers that never read, late writers."""

import contextlib
import os
import signal
import subprocess
import threading

import pytest
from programs import foreground_signals, is_alive, left_of, wait_for
from supervise.parents import Parent, written
from supervise.plain_parent import plain_command
from supervise.terminal import Terminal

from fitguard.supervise.guarding import Guarding
from fitguard.supervise.options import RunOptions

WRITES_MUCH = """
import pathlib, sys
sys.stdout.write("x" * 150_000)
sys.stdout.flush()
pathlib.Path("written").touch()
"""
WRITES_LATE = """
import os, pathlib, time
while not pathlib.Path("go").exists(): time.sleep(0.02)
for number in range(3): print("late", number, flush=True)
pathlib.Path("lived").touch()
"""
LEAVES_A_WRITER = f"""
import subprocess, sys
subprocess.Popen([sys.executable, "-c", {WRITES_LATE!r}])
"""


def read_all(file: int) -> bytes:
    with os.fdopen(file, "rb") as reader:
        return reader.read()


def start_into_pipe(folder, text, **options):
    """A run whose stdout is a pipe: it, and the end to read."""
    reading, writing = os.pipe()
    with (folder / "err").open("wb") as errors:
        parent = Parent(folder, text, streams=(writing, errors), **options)
    os.close(writing)
    return parent, reading


def test_a_slow_reader_gets_all_of_it(tmp_path):
    parent, reading = start_into_pipe(tmp_path, WRITES_MUCH)
    wait_for((tmp_path / "written").exists)
    with pytest.raises(subprocess.TimeoutExpired):
        parent.process.wait(3)
    assert read_all(reading) == b"x" * 150_000
    assert parent.ended() == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_reader_that_never_reads_can_be_left(tmp_path, number):
    reading, writing = os.pipe()
    parent = Parent(tmp_path, WRITES_MUCH, streams=(writing, writing))
    os.close(writing)
    wait_for((tmp_path / "written").exists)
    wait_for(lambda: not is_alive(parent.child))
    parent.process.send_signal(number)
    assert parent.ended() == 0
    assert parent.run()["state"] == "finished"
    os.close(reading)


def test_what_the_script_leaves_behind_still_writes_to_a_pipe(tmp_path):
    parent, reading = start_into_pipe(tmp_path, LEAVES_A_WRITER)
    assert parent.ended() == 0
    assert "a process that the script started still runs" in parent.err
    (tmp_path / "go").touch()
    assert read_all(reading).endswith(b"late 0\nlate 1\nlate 2\n")
    wait_for((tmp_path / "lived").exists)
    wait_for(lambda: left_of(parent.process.pid) == [])


def test_what_the_script_leaves_behind_still_writes_to_a_terminal(tmp_path):
    # Where the first process of a terminal's session ends, the kernel takes the terminal away.
    shell = ("sh", "-c", '"$@"; echo over; read line', "sh")
    terminal = Terminal(tmp_path, LEAVES_A_WRITER, before=shell)
    terminal.until(b"over")
    assert b"still runs" in terminal.shown
    (tmp_path / "go").touch()
    terminal.until(b"late 2")
    wait_for((tmp_path / "lived").exists)
    terminal.type(b"\n")
    assert terminal.ended() == 0


def test_what_the_script_leaves_behind_outlives_a_notebook_cell(tmp_path):
    reading, writing = os.pipe()
    with contextlib.chdir(tmp_path), foreground_signals():
        guarding = Guarding(
            plain_command(written(tmp_path, LEAVES_A_WRITER)),
            RunOptions(runs_folder=tmp_path / "runs"),
            say=[].append,
            stdout=writing,
            stderr=writing,
            readers_leave=True,
        )
        thread = threading.Thread(target=guarding.run)
        thread.start()
        thread.join()
    for file in (reading, writing):
        os.close(file)
    (tmp_path / "go").touch()
    wait_for((tmp_path / "lived").exists)
