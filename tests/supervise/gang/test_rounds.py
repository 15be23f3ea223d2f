"""What follows from what workers have told."""

import pytest

from fitguard.schema.gang import Ended, Ready, SavedPlace
from fitguard.supervise.gang.rounds import (
    are_all_judged,
    choose_start,
    find_culprit,
    find_stop,
    have_all_finished,
    is_left,
    is_over,
    list_complete,
)

STEP_10, STEP_20, END = SavedPlace(1, 10), SavedPlace(1, 20), SavedPlace(1, end=True)
NEXT = SavedPlace(2, 5)


def ready(worker, *saved):
    return Ready(worker=worker, life="a", address="host:1", saved=saved)


def ends(*told):
    return {one.worker: one for one in told}


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ((), (), None),
        ((STEP_10,), (), None),
        ((STEP_10,), (STEP_20,), None),
        ((STEP_10, STEP_20), (STEP_10,), STEP_10),
        ((STEP_10, STEP_20), (STEP_20, STEP_10), STEP_20),
        ((STEP_20, END), (END, STEP_20), END),
        ((END, NEXT), (END, STEP_20), END),
        ((END, NEXT), (END, NEXT), NEXT),
    ],
)
def test_a_round_begins_at_the_newest_complete_set(first, second, expected):
    assert choose_start([ready(0, *first), ready(1, *second)]) == expected
    assert choose_start([ready(1, *second), ready(0, *first)]) == expected


def test_complete_is_what_all_have():
    assert list_complete([]) == []
    assert list_complete([[STEP_10, STEP_20], [STEP_20, STEP_10, END], [STEP_10]]) == [STEP_10]


def test_a_round_is_over_as_soon_as_one_ended_otherwise_than_well():
    finished = Ended(worker=0, outcome="finished")
    assert not is_over({})
    assert not is_over(ends(finished))
    assert is_over(ends(finished, Ended(worker=1, outcome="ended", judged=False)))


def test_all_have_finished_when_each_has_said_so():
    first, second = Ended(worker=0, outcome="finished"), Ended(worker=1, outcome="finished")
    assert not have_all_finished({}, 2)
    assert not have_all_finished(ends(first), 2)
    assert have_all_finished(ends(first, second), 2)
    assert not have_all_finished(ends(first, Ended(worker=1, outcome="killed")), 2)


def test_who_left_with_the_common_snapshot_is_not_in_the_way_of_the_others():
    left = Ended(worker=0, outcome="preempted", left=True)
    assert is_left(ends(left, Ended(worker=2, outcome="finished")))
    assert not is_left(ends(left, Ended(worker=1, outcome="killed")))


def test_the_culprit_is_who_failed_by_itself_first():
    fallout = Ended(worker=0, outcome="exception", fallout=True, time=1.0)
    unjudged = Ended(worker=1, outcome="ended", judged=False, time=2.0)
    asked = Ended(worker=2, outcome="preempted", time=3.0)
    later = Ended(worker=3, outcome="crashed", time=5.0)
    first = Ended(worker=4, outcome="killed", time=4.0)
    finished = Ended(worker=5, outcome="finished", time=0.0)
    assert find_culprit(ends(fallout, unjudged, finished)) is None
    assert find_culprit(ends(fallout, asked)) == asked
    assert find_culprit(ends(fallout, asked, later)) == later
    assert find_culprit(ends(fallout, asked, later, first)) == first


def test_one_that_gives_up_ends_it_for_all():
    later = Ended(worker=0, outcome="exception", stop=True, exit_code=1, time=9.0)
    first = Ended(worker=1, outcome="exited", stop=True, exit_code=7, time=8.0)
    assert find_stop(ends(Ended(worker=2, outcome="killed"))) is None
    assert find_stop(ends(later, first)) == first


def test_nothing_is_to_be_learned_once_all_have_told_why():
    judged = Ended(worker=0, outcome="exception", fallout=True)
    assert not are_all_judged(ends(judged), 2)
    assert not are_all_judged(ends(judged, Ended(worker=1, outcome="ended", judged=False)), 2)
    assert are_all_judged(ends(judged, Ended(worker=1, outcome="followed", fallout=True)), 2)
