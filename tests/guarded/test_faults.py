"""A training that dies of itself in several ways in one run, hangs, and finds the disk full."""

import resource

import pytest
from guarded.harness import GuardedRun, run_plain
from guarded.results import difference

DEATHS = {
    "20:segfault": ("crashed", "SIGSEGV", None),
    "45:abort": ("crashed", "SIGABRT", None),
    "70:exit": ("crashed", None, 3),
    "95:exception": ("exception", None, 1),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """What the script gives when nothing happens to it."""
    out = tmp_path_factory.mktemp("plain") / "plain.npz"
    ended = run_plain("dies.py", out)
    assert ended.code == 0, ended.text
    return out


def test_a_full_disk_is_a_warning_and_the_training_goes_on(plain, tmp_path):
    def no_large_files():
        # Room for what the script saves, not for the optimizer beside it.
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))

    options = ("--snapshot-seconds", 0.02)
    with GuardedRun(tmp_path / "run", "dies.py", options=options, setup=no_large_files) as run:
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert difference(plain, run.out) == ""
    assert run.record.snapshots.failed > 0
    assert run.record.snapshots.count == 0
    assert "File too large" in ended.text


def test_segfault_abort_exit_and_exception_cost_nothing_but_time(plain, tmp_path):
    options = ("--snapshot-seconds", 0.02)
    with GuardedRun(tmp_path / "run", "dies.py", *DEATHS, options=options) as run:
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


def test_after_a_fault_of_the_hardware_it_is_probed_and_goes_on_to_the_same_result(plain, tmp_path):
    options = ("--snapshot-seconds", 0.02)
    with GuardedRun(tmp_path / "run", "dies.py", "45:xid", options=options) as run:
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert difference(plain, run.out) == ""
    probed, decided = run.record.decisions
    assert (probed.action, decided.action) == ("probe", "restart")
    assert decided.cause == "hardware-fault"
    assert "CPU computes correctly" in probed.text
    assert f"fitguard: {probed.text}" in ended.text


@pytest.mark.soak
def test_a_hang_is_ended_and_the_training_goes_on(plain, tmp_path):
    options = ("--snapshot-seconds", 0.02, "--hang-seconds", 8)
    with GuardedRun(tmp_path / "run", "dies.py", "60:hang", options=options) as run:
        ended = run.wait()
    assert ended.code == 0, ended.text
    assert difference(plain, run.out) == ""
    assert run.record.attempts[0].outcome == "hung"
    assert "on_train_batch_end" in run.folder.stacks.read_text()
