"""Guards of plain workers, with real signals: what ends a round begins the next one for all."""

import contextlib
import os
import random
import signal
import time

import pytest
from programs import wait_for
from supervise.gang.plain_gang import PlainGang

from fitguard.supervise.gang.peers import list_places

TRAINS = """
import pathlib
for step in training.steps(10_000_000):
    print("step", step, "of round", training.gang.round, flush=True)
    if pathlib.Path("enough").exists() and step % 10 == 9: break
print("done", training.done)
"""


@pytest.fixture
def gang(tmp_path):
    found = PlainGang(tmp_path, TRAINS)
    found.start()
    found.until(0, "step 5")
    return found


def finish(gang):
    """Let it come to its end; all attempts of both began together."""
    (gang.folder / "enough").touch()
    assert set(gang.ended()) == {0}, gang.told(0) + gang.told(1)
    assert all(gang.begun(number) == gang.begun(0) for number in gang.numbers)
    assert {gang.run(number)["state"] for number in gang.numbers} == {"finished"}


@pytest.mark.soak
def test_without_a_fault_all_finish_in_one_round(gang):
    gang.until_saved()
    finish(gang)
    assert (gang.outcomes(0), gang.outcomes(1)) == (["finished"], ["finished"])
    assert "round 1 of the gang night: all 2 workers start at the beginning" in gang.told(0)


@pytest.mark.parametrize("victim", [pytest.param(0, marks=pytest.mark.soak), 1])
def test_all_go_on_from_a_common_step_when_one_is_killed(gang, victim):
    gang.until_saved()
    os.kill(gang.child(victim), signal.SIGKILL)
    gang.until(0, "of round 2")
    finish(gang)
    assert gang.outcomes(victim) == ["killed", "finished"]
    assert gang.outcomes(1 - victim) == ["followed", "finished"]
    assert gang.begun(0)[1] > 0
    assert f"Worker {victim} ended first: it was killed with SIGKILL" in gang.told(1 - victim)


@pytest.mark.soak
def test_a_guard_that_dies_comes_back_into_the_next_round(gang):
    gang.until_saved()
    gang.guards[1].kill()
    gang.guards[1].wait()
    gang.start(1, resume="auto")
    gang.until(0, "of round 2")
    finish(gang)
    assert gang.outcomes(1) == ["lost", "finished"]
    assert gang.outcomes(0) == ["followed", "finished"]


@pytest.mark.soak
def test_who_is_asked_to_leave_takes_all_along_and_can_come_back(gang):
    gang.guards[1].terminate()
    assert gang.guards[1].wait() == 75
    wait_for(lambda: len(gang.outcomes(0)) == 1)
    assert (gang.outcomes(0), gang.outcomes(1)) == (["followed"], ["preempted"])
    saved = gang.complete()[0]
    gang.start(1, resume="auto")
    gang.until(0, "of round 2")
    finish(gang)
    assert gang.begun(0)[1] == saved.steps


def test_all_are_asked_to_leave_and_one_set_is_left(gang):
    for guard in gang.guards.values():
        guard.terminate()
    assert gang.ended() == [75, 75]
    saved = gang.complete()[0]
    assert "to continue: fitguard run --workers 2 --gang night --worker 1" in gang.told(1)
    gang.start(resume="auto")
    finish(gang)
    assert gang.begun(1)[1] == saved.steps > 0


def test_who_hears_too_late_of_the_call_to_leave_is_waited_for(tmp_path):
    gang = PlainGang(tmp_path, TRAINS, lease_seconds=600.0)
    gang.start()
    gang.until(0, "step 5")
    first, late = gang.guards.values()
    late.send_signal(signal.SIGSTOP)
    first.terminate()
    here = gang.gang.open_round(1, 2)

    def first_has_saved():
        called = here.read().called
        return called and called.leave and called.place in list_places(gang.gang, 0)

    wait_for(first_has_saved)
    late.send_signal(signal.SIGCONT)
    late.terminate()
    assert gang.ended() == [75, 75]
    assert gang.complete()[0] == max(list_places(gang.gang, 0))


@pytest.mark.soak
def test_a_worker_that_was_asked_while_it_waits_leaves(tmp_path):
    gang = PlainGang(tmp_path, TRAINS)
    gang.start(0)
    wait_for(lambda: "waits for worker 1, which was not seen yet" in gang.told(0))
    gang.guards[0].terminate()
    assert gang.guards[0].wait() == 75
    gang.start(0, resume="auto")
    gang.start(1)
    gang.until(0, "of round 2")
    finish(gang)


def test_others_that_do_not_come_are_not_waited_for_without_end(tmp_path):
    gang = PlainGang(tmp_path, TRAINS)
    gang.start(0, place={"seconds": 1.0})
    assert gang.guards[0].wait() == 75
    assert "waited 1.0 s for worker 1, which was not seen yet" in gang.told(0)


def test_a_script_that_fails_stops_all_with_its_own_code(tmp_path):
    text = """
for step in training.steps(10_000):
    if step == 12 and training.worker == 1: raise SystemExit(7)
"""
    gang = PlainGang(tmp_path, text)
    gang.start()
    assert gang.ended() == [7, 7]
    assert "worker 1 stopped, and so do all. Attempt 1 ended itself with exit code 7" in gang.told(
        0
    )
    assert "fitguard report night-worker-1" in gang.told(0)
    assert gang.outcomes(0) == ["followed"]


@pytest.mark.soak
def test_a_worker_that_has_finished_begins_again_with_those_that_have_not(tmp_path):
    text = """
import os, pathlib, time
for step in training.steps(30): print("step", step, flush=True)
if training.worker == 1 and training.gang.round == 1:
    while not pathlib.Path("ended-0").exists(): time.sleep(0.02)
    os.kill(os.getpid(), 9)
pathlib.Path(f"ended-{training.worker}").touch()
"""
    gang = PlainGang(tmp_path, text)
    gang.start()
    assert gang.ended() == [0, 0], gang.told(0)
    assert gang.outcomes(0) == ["finished", "finished"]
    assert gang.outcomes(1) == ["killed", "finished"]
    assert "This worker has finished, but others have not. Worker 1 ended first" in gang.told(0)


def test_a_set_that_one_worker_has_lost_is_never_used(gang):
    gang.until_saved(2)
    for guard in gang.guards.values():
        guard.terminate()
    gang.ended()
    newest, older = gang.complete()[:2]
    folder = gang.gang.find_worker(1).snapshots
    next(folder.glob(f"fit00001-step{newest.steps:011d}-*")).unlink()
    gang.start(resume="auto")
    finish(gang)
    assert gang.begun(0)[1] == gang.begun(1)[1] == older.steps


@pytest.mark.soak
def test_a_guard_that_died_after_all_had_finished_finishes(gang):
    (gang.folder / "enough").touch()
    assert gang.ended() == [0, 0]
    journal = gang.gang.find_worker(1).journal
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(line for line in lines if b'"run-ended"' not in line))
    gang.start(1, resume="auto")
    assert gang.guards[1].wait() == 0
    assert gang.outcomes(1) == ["finished"]


def test_one_worker_alone_is_not_resumed(gang):
    for guard in gang.guards.values():
        guard.terminate()
    gang.ended()
    gang._options = {}
    from supervise.parents import Parent

    parent = Parent(gang.folder, TRAINS, resume="night-worker-1")
    assert parent.ended() == 2
    assert "is worker 1 of 2 that train together" in parent.err


@pytest.mark.soak
def test_three_workers_of_which_two_die_at_once(tmp_path):
    gang = PlainGang(tmp_path, TRAINS, workers=3)
    gang.start()
    gang.until(0, "step 5")
    gang.until_saved()
    os.kill(gang.child(2), signal.SIGKILL)
    os.kill(gang.child(1), signal.SIGKILL)
    gang.until(0, "of round 2")
    finish(gang)
    assert gang.outcomes(0) == ["followed", "finished"]
    assert gang.begun(0)[1] > 0


@pytest.mark.soak
def test_many_kills_of_children_and_guards_end_well(tmp_path):
    gang = PlainGang(tmp_path, TRAINS)
    gang.start()
    draw = random.Random(7)
    for number in range(2, 12):
        gang.until(0, "step")
        time.sleep(draw.uniform(0.0, 1.5))
        victim = draw.randrange(2)
        if draw.random() < 0.5:
            with contextlib.suppress(ProcessLookupError):
                os.kill(gang.child(victim), signal.SIGKILL)
        else:
            gang.guards[victim].kill()
            gang.guards[victim].wait()
            gang.start(victim, resume="auto")
        gang.until(0, f"of round {number}")
    finish(gang)


@pytest.mark.soak
def test_ctrl_c_to_all_ends_all(gang):
    for number in gang.numbers:
        os.killpg(gang.guards[number].pid, signal.SIGINT)
    assert gang.ended() == [130, 130]
