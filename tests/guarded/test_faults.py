"""A training that dies of itself in several ways, one after the other, in one run."""

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference

DEATHS = {
    "20:segfault": ("crashed", "SIGSEGV", None),
    "45:abort": ("crashed", "SIGABRT", None),
    "70:exit": ("crashed", None, 3),
    "95:exception": ("exception", None, 1),
}


def undisturbed(folder):
    """What the script gives when nothing happens to it."""
    out = folder / "plain.npz"
    plain = run_plain("dies.py", out)
    assert plain.code == 0, plain.text
    return out


def test_segfault_abort_exit_and_exception_cost_nothing_but_time(tmp_path):
    options = ("--snapshot-seconds", 0.05)
    with GuardedRun(tmp_path / "run", "dies.py", *DEATHS, options=options) as run:
        plain = undisturbed(tmp_path)
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert difference(plain, run.out) == ""
    *died, last = run.record.attempts
    assert [(a.outcome, a.signal, a.exit_code) for a in died] == list(DEATHS.values())
    assert last.outcome == "finished"
    assert run.record.state == "finished"
    # Nothing was trained twice but what no snapshot held.
    assert all(attempt.first.total_steps > 0 for attempt in run.record.attempts[1:])
    done = sum(attempt.steps_done for attempt in run.record.attempts)
    assert done - sum(attempt.steps_lost for attempt in run.record.attempts) == 120
    assert "RuntimeError: the file of labels went away" in ended.text


@pytest.mark.soak
def test_a_hang_is_ended_and_the_training_goes_on(tmp_path):
    options = ("--snapshot-seconds", 0.05, "--hang-seconds", 8)
    with GuardedRun(tmp_path / "run", "dies.py", "60:hang", options=options) as run:
        plain = undisturbed(tmp_path)
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert difference(plain, run.out) == ""
    assert run.record.attempts[0].outcome == "hung"
    assert "on_train_batch_end" in run.folder.stacks.read_text()
