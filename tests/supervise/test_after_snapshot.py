"""After each finished snapshot: a command or a function of the user's."""

import contextlib
import os
import signal
import subprocess
import sys
import threading

import pytest
from programs import wait_for
from supervise.parents import Parent
from supervise.test_resuming import Setting

from fitguard.supervise.orphans import STARTING, Orphans

SAVES = """
import pathlib
for step in training.steps(10_000_000):
    if step < 30: training.save()
    print("step", step, flush=True)
    if pathlib.Path("enough").exists(): break
"""
COPY = 'cp -r "$FITGUARD_SNAPSHOT_FOLDER" away && cat "$FITGUARD_SNAPSHOT" > newest'


def test_the_last_snapshot_of_a_run_that_leaves_is_copied_and_can_be_resumed(tmp_path):
    command = f"rm -rf away; {COPY}; env | grep ^FITGUARD_SNAPSHOT | sort > told"
    parent = Parent(tmp_path, SAVES, after_snapshot=command)
    parent.until("step 40")
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    assert "failed" not in parent.err
    done = int((tmp_path / "newest").read_text())
    assert done == parent.run()["saved"][-1]["place"]["total_steps"] > 40
    told = dict(line.split("=", 1) for line in (tmp_path / "told").read_text().splitlines())
    run = parent.run_folder
    assert told == {
        "FITGUARD_SNAPSHOT": f"{run}/handed/{run.name}/snapshots/"
        f"fit00001-step{done:011d}-{done + 1:010d}.snapshot",
        "FITGUARD_SNAPSHOT_FOLDER": f"{run}/handed/{run.name}",
        "FITGUARD_SNAPSHOT_RUN": run.name,
        "FITGUARD_SNAPSHOT_ATTEMPT": "1",
        "FITGUARD_SNAPSHOT_FIT": "1",
        "FITGUARD_SNAPSHOT_EPOCH": "0",
        "FITGUARD_SNAPSHOT_STEP": str(done),
        "FITGUARD_SNAPSHOT_TOTAL_STEPS": str(done),
    }
    assert not (run / "handed").exists()

    (tmp_path / "enough").touch()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "away").rename(tmp_path / "elsewhere" / run.name)
    again = Parent(tmp_path, SAVES, runs_folder="elsewhere", resume=run.name)
    assert again.ended() == 0, again.err
    assert again.out.rstrip().endswith(f"step {done}")


def test_a_slow_command_holds_nothing_up_and_its_file_stays(tmp_path):
    command = (
        "touch begun; until test -e enough; do sleep 0.05; done;"
        ' test -e "$FITGUARD_SNAPSHOT" && touch still-there'
    )
    parent = Parent(tmp_path, SAVES, after_snapshot=command)
    wait_for((tmp_path / "begun").exists)
    parent.until("step 60")
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert (tmp_path / "still-there").exists()


def test_a_failure_is_said_once(tmp_path):
    parent = Parent(tmp_path, SAVES, after_snapshot="echo no such bucket; echo x >> calls; exit 3")
    wait_for(lambda: (tmp_path / "calls").exists() and "step 2" in parent.out)
    parent.until("step 60")
    (tmp_path / "enough").touch()
    assert parent.ended() == 0
    assert parent.err.count("what shall run after each snapshot failed: exit code 3. no such") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="processes")
def test_the_exit_code_of_one_that_ends_at_once_is_not_lost():
    """Whoever reaps it first takes its code: the parent must not, before it is known as ours."""
    orphans = Orphans(adopts=True)
    with STARTING:
        process = subprocess.Popen(["/bin/sh", "-c", "exit 3"])
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        reaper = threading.Thread(target=orphans.reap)
        reaper.start()
        reaper.join(0.5)
        orphans.spare(process.pid)
    reaper.join()
    assert process.wait() == 3


@pytest.mark.skipif(sys.platform != "linux", reason="processes")
def test_one_that_hangs_is_ended_with_the_run(tmp_path):
    command = "touch begun; sleep 1000"
    parent = Parent(tmp_path, SAVES, after_snapshot=command, grace_seconds=2)
    wait_for((tmp_path / "begun").exists)
    parent.process.send_signal(signal.SIGTERM)
    assert parent.ended() == 75
    assert "the run ended before it was done" in parent.err


def test_who_does_not_want_to_wait_for_it_says_so(tmp_path):
    parent = Parent(tmp_path, SAVES, after_snapshot="touch begun; sleep 1000")
    wait_for((tmp_path / "begun").exists)
    (tmp_path / "enough").touch()
    wait_for(lambda: parent.run()["state"] == "finished")
    parent.process.send_signal(signal.SIGINT)
    assert parent.ended() == 0
    assert "the run ended before it was done" in parent.err


def test_a_function(tmp_path):
    seen = []

    def look(snapshot):
        seen.append((snapshot.path.read_text(), snapshot.place.total_steps))
        raise RuntimeError("a fault of its own")

    with contextlib.chdir(tmp_path):
        setting = Setting(tmp_path)
        done = setting.run("for step in training.steps(5): training.save()", after_snapshot=look)
    assert done.exit_code == 0
    assert seen[-1] == ("4", 4)
    assert sum("RuntimeError: a fault of its own" in line for line in setting.said) == 1
