"""Guards of three plain workers, one of which never comes back."""

import os
import signal

import pytest
from programs import wait_for
from supervise.gang.plain_gang import PlainGang
from supervise.gang.test_member import TRAINS

from fitguard.schema.journal import Decided

ALLOWED = {"seconds": 2.0, "least": 2}


def begin(folder, place):
    """Three workers that have saved something."""
    gang = PlainGang(folder, TRAINS, workers=3)
    for number in gang.numbers:
        gang.start(number, place=place)
    gang.until(0, "step 5")
    gang.until_saved()
    return gang


@pytest.fixture
def gang(tmp_path):
    return begin(tmp_path, ALLOWED)


def lose(gang, number):
    """Kill a worker and its guard."""
    child = gang.child(number)
    gang.guards[number].kill()
    gang.guards[number].wait()
    os.kill(child, signal.SIGKILL)


def finish(gang, *numbers):
    (gang.folder / "enough").touch()
    codes = [gang.guards[number].wait() for number in numbers]
    assert codes == [0] * len(numbers), [gang.told(number) for number in numbers]


def test_two_go_on_without_the_third_and_say_so(gang):
    lose(gang, 0)
    gang.until(1, "of round 2")
    gang.until(2, "of round 2")
    finish(gang, 1, 2)
    assert gang.begun(1) == gang.begun(2)
    assert gang.begun(1)[1] > 0
    for number in (1, 2):
        decided = [one for one in gang.events(number, Decided) if one.changes_results]
        assert [one.action for one in decided] == ["fewer-workers"]
        assert "workers 1 to 2 go on without worker 0, last seen on" in decided[0].text
        assert decided[0].text in gang.told(number)


@pytest.mark.soak
def test_who_comes_back_late_waits_until_the_others_have_finished(gang):
    lose(gang, 2)
    gang.until(0, "of round 2")
    gang.numbers = range(2)
    before = gang.complete()[0]
    wait_for(lambda: gang.complete()[0] > before)
    gang.start(2, resume="auto", place={**ALLOWED, "workers": 3})
    wait_for(lambda: "train without this worker, since round 2" in gang.told(2))
    os.kill(gang.child(1), signal.SIGKILL)
    gang.until(0, "of round 3")
    finish(gang, 0, 1, 2)
    assert "workers 0 to 1 finished without this worker" in gang.told(2)
    assert gang.begun(0) == gang.begun(1)
    assert len(gang.begun(0)) == 3
    assert len(gang.begun(2)) == 1


@pytest.mark.soak
def test_who_comes_back_while_all_wait_is_not_left_out(tmp_path):
    patient = {**ALLOWED, "seconds": 60.0}
    gang = begin(tmp_path, patient)
    lose(gang, 2)
    wait_for(lambda: gang.outcomes(0) == ["followed"])
    gang.start(2, resume="auto", place=patient)
    gang.until(2, "of round 2")
    finish(gang, 0, 1, 2)
    assert gang.begun(0) == gang.begun(1) == gang.begun(2)


@pytest.mark.soak
def test_with_fewer_than_allowed_it_leaves(gang):
    lose(gang, 1)
    lose(gang, 2)
    assert gang.guards[0].wait() == 75
    assert "Worker 0 does not go on with fewer: that takes --allow fewer-workers" in gang.told(0)
