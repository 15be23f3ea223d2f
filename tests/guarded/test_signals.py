"""The parent is killed, asked to leave, interrupted; `--resume` goes on, and nothing is lost."""

import os
import signal

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference
from programs import wait_for

from fitguard.schema.journal import LEFT_AS_ASKED


def until_saved(run, attempt):
    """Wait for that attempt, until a snapshot that it wrote itself is on the disk."""
    child = run.next_child(after=attempt - 1)
    first = {path.name for path in run.folder.snapshots.glob("*.snapshot")}
    saved = child.wait_for(
        lambda: {path.name for path in run.folder.snapshots.glob("*.snapshot")} - first
    )
    assert saved, "it ended before a snapshot was written"
    return child


def test_a_parent_that_is_killed_while_the_training_starts_leaves_none_behind(tmp_path):
    script = tmp_path / "waits.py"
    script.write_text("import time; time.sleep(600)")
    with GuardedRun(tmp_path / "run", script) as run:
        child = run.next_child()
        # It is still loading Python: nothing has told the kernel yet that it dies with its parent.
        os.kill(run.parent, signal.SIGKILL)
        wait_for(lambda: not child.is_alive, seconds=30)


def test_sigterm_while_tensorflow_is_loading_leaves_without_noise(tmp_path):
    with GuardedRun(tmp_path / "run", "told_while_loading.py") as run:
        wait_for(lambda: "C++ is loading" in run.text, seconds=200)
        os.kill(run.parent, signal.SIGTERM)
        left = run.wait()
    assert left.code == LEFT_AS_ASKED
    said = left.text.partition("C++ is loading")[2]
    assert "no fit is running, so no snapshot is taken" in said
    assert "finally\n" in said
    for noise in ("terminate called", "Aborted", "Traceback", "Terminated"):
        assert noise not in said
    assert (run.record.state, run.record.attempts[0].exit_code) == ("preempted", LEFT_AS_ASKED)


@pytest.mark.soak
def test_a_run_goes_on_after_its_parent_was_killed_terminated_and_interrupted(tmp_path):
    fast, options = tmp_path / "fast", ("--snapshot-seconds", 0.05)
    with GuardedRun(tmp_path / "run", "steps_per_execution.py", fast, options=options) as run:
        child = until_saved(run, 1)
        os.kill(run.parent, signal.SIGKILL)
        assert run.wait().code == -signal.SIGKILL
        child.join()

        run.start("--resume")
        until_saved(run, 2)
        os.kill(run.parent, signal.SIGTERM)
        left = run.wait()
        assert left.code == LEFT_AS_ASKED, left.text
        assert run.record.state == "preempted"
        assert run.record.attempts[1].steps_lost == 0

        run.start("--resume")
        until_saved(run, 3)
        os.killpg(run.parent, signal.SIGINT)
        assert run.wait().code == 130
        assert run.record.state == "interrupted"

        fast.touch()
        run.start("--resume")
        plain = run_plain("steps_per_execution.py", tmp_path / "plain.npz")
        ended = run.wait()
    assert plain.code == 0, plain.text
    assert ended.code == 0, ended.text
    assert difference(tmp_path / "plain.npz", run.out) == ""
    outcomes = [attempt.outcome for attempt in run.record.attempts]
    assert outcomes == ["lost", "preempted", "interrupted", "finished"]
