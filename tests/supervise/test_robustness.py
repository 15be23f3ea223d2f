"""What must not hurt the parent: readers that leave, full disks, folders that cannot be written."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import programs
import pytest
from programs import wait_for
from supervise.parents import UNTIL_TOLD, Parent

from fitguard.schema.journal import AttemptStarted


def test_a_reader_that_goes_away_is_met_as_under_plain_python(tmp_path):
    reading, writing = os.pipe()
    text = """
import time
for number in range(100_000):
    print(number, flush=True)
    time.sleep(0.01)
"""
    with (tmp_path / "err").open("wb") as errors:
        parent = Parent(tmp_path, text, streams=(writing, errors))
    os.close(writing)
    assert os.read(reading, 100).startswith(b"0")
    os.close(reading)
    assert parent.ended() == 1
    assert "BrokenPipeError" in parent.err
    run = parent.run()
    assert (run["state"], len(run["attempts"])) == ("stopped", 1)


def test_a_full_disk_behind_stdout_is_told_once_and_training_goes_on(tmp_path):
    text = "for step in training.steps(20): print('step', step, flush=True)"
    with Path("/dev/full").open("wb") as full, (tmp_path / "err").open("wb") as errors:
        parent = Parent(tmp_path, text, streams=(full, errors))
    assert parent.ended() == 0
    assert parent.err.count("No space left on device") == 1
    assert (parent.run_folder / "output.log").read_text().endswith("step 19\n")


def test_a_runs_folder_that_fills_up_is_told_once_and_training_goes_on(tmp_path):
    text = "for step in training.steps(30): print('x' * 10_000, flush=True)"
    parent = Parent(tmp_path, text, file_limit_bytes=100_000, streams=_files(tmp_path))
    assert parent.ended() == 0
    assert parent.out.count("\n") == 30
    assert parent.err.count("File too large") == 1
    assert len(parent.events(AttemptStarted)) == 1


def _files(folder: Path):
    """Through pipes: only the files of the run itself shall meet the limit."""
    return tuple(
        programs.start(["cat"], stdin=subprocess.PIPE, stdout=(folder / name).open("wb")).stdin
        for name in ("out", "err")
    )


def test_a_runs_folder_that_cannot_be_made_is_a_clear_error(tmp_path):
    (tmp_path / "runs").write_text("a file")
    parent = Parent(tmp_path, "print('trained')")
    assert parent.ended() == 2
    assert "Received" in parent.err
    assert "as the folder for runs" in parent.err
    assert "trained" not in parent.out


def test_the_parent_is_small_and_loads_nothing_that_it_does_not_need(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step")
    status = Path(f"/proc/{parent.process.pid}/status").read_text()
    resident = int(status.partition("VmRSS:")[2].split()[0]) * 1024
    assert resident < 60e6
    (tmp_path / "enough").touch()
    assert parent.ended() == 0


@pytest.mark.parametrize("room", ["crash", "knowledge", "checks", "environment", "supervise.gang"])
def test_the_loop_loads_no_diagnosis_before_something_dies(room):
    code = (
        "import sys, fitguard.supervise.guarding;"
        f"print(*[name for name in sys.modules if name.startswith('fitguard.{room}.')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # What asks a process of its own.
    assert set(done.stdout.split()) <= {"fitguard.crash.explaining"}


def test_a_long_output_is_bounded(tmp_path):
    text = """
import os
import shutil
import signal
block = b"y" * 1_000_000
for _ in range(20): os.write(1, block)
os.write(1, b"the end")
"""
    parent = Parent(tmp_path, text, streams=_files(tmp_path))
    assert parent.ended() == 0
    sizes = [(parent.run_folder / name).stat().st_size for name in ("output.log", "output.1.log")]
    assert sum(sizes) < 10 * 2**20
    assert (parent.run_folder / "output.log").read_bytes().endswith(b"the end")


def test_a_heartbeat_that_is_cut_short_kills_nobody(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    os.truncate(parent.run_folder / "heartbeat", 0)
    seen = parent.out.count("\n")
    wait_for(lambda: parent.out.count("\n") > seen + 20)
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert [attempt["outcome"] for attempt in parent.run()["attempts"]] == ["finished"]


def test_a_wish_gets_through_a_heartbeat_that_was_cut_short(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    os.truncate(parent.run_folder / "heartbeat", 0)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    assert parent.run()["attempts"][0]["exit_code"] == 75


def test_a_folder_that_is_removed_is_told_and_the_end_is_true(tmp_path):
    parent = Parent(tmp_path, UNTIL_TOLD)
    parent.until("step 3")
    shutil.rmtree(tmp_path / "runs")
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert "fitguard: finished after" in parent.err
    assert "is gone: no report" in parent.err
    assert "stopped" not in parent.err
