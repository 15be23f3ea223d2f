"""Who trains in the next round."""

import pytest

from fitguard.schema.gang import Members, Ready, SavedPlace
from fitguard.supervise.gang.membership import Lacking, choose_members

STEP_10, STEP_20, STEP_30 = SavedPlace(1, 10), SavedPlace(1, 20), SavedPlace(1, 30)
TWO_OF_THREE = Members(workers=(0, 1), start=STEP_20, left_at={2: STEP_20})


def ready(least=1, **saved):
    """What workers tell: `w0=(STEP_10,)`."""
    return {
        int(name[1:]): Ready(
            worker=int(name[1:]), life="a", address="h:1", saved=places, least=least
        )
        for name, places in saved.items()
    }


@pytest.mark.parametrize("least", [0, 1])
def test_all_train_as_soon_as_all_are_ready(least):
    told = ready(least, w0=(STEP_10, STEP_20), w1=(STEP_10,), w2=(STEP_10,))
    assert choose_members(told, set(), None, 3) == Members(workers=(0, 1, 2), start=STEP_10)


def test_who_is_not_gone_for_good_is_waited_for():
    told = ready(w0=(), w1=())
    assert choose_members(told, set(), None, 3) == Lacking((2,))
    assert choose_members(ready(w0=()), {2}, None, 3) == Lacking((1, 2))


def test_who_is_gone_for_good_is_left_out_at_the_newest_set_of_the_others():
    told = ready(w0=(STEP_10, STEP_20), w1=(STEP_10, STEP_20))
    assert choose_members(told, {2}, None, 3) == TWO_OF_THREE


def test_without_leave_nobody_is_left_out():
    told = ready(0, w0=(STEP_10,), w1=(STEP_10,))
    assert choose_members(told, {2}, None, 3) == Lacking((2,), (0, 1))
    assert choose_members({**told, **ready(w0=(STEP_10,))}, {2}, None, 3) == Lacking((2,), (1,))


def test_no_fewer_than_the_user_wants():
    told = ready(2, w0=(STEP_10,), w1=(STEP_10,))
    assert choose_members(told, {2}, None, 3).workers == (0, 1)
    del told[1]
    assert choose_members(told, {1, 2}, None, 3) == Lacking((1, 2), (0,))


def test_who_was_left_out_is_not_waited_for_again():
    told = ready(w0=(STEP_30,), w1=(STEP_30,))
    after = choose_members(told, set(), TWO_OF_THREE, 3)
    assert after == Members(workers=(0, 1), start=STEP_30, left_at={2: STEP_20})


def test_as_long_as_nothing_is_saved_all_are_waited_for():
    before = Members(workers=(0, 1), left_at={2: None})
    told = ready(w0=(), w1=())
    assert choose_members(told, set(), before, 3) == Lacking((2,))
    assert choose_members({**told, **ready(w2=())}, set(), before, 3).workers == (0, 1, 2)
    assert choose_members(told, {2}, before, 3) == before


def test_who_comes_back_joins_where_all_go_on_from_what_it_has_saved_with_them():
    told = ready(w0=(STEP_10, STEP_20), w1=(STEP_10, STEP_20), w2=(STEP_20,))
    after = choose_members(told, set(), TWO_OF_THREE, 3)
    assert after == Members(workers=(0, 1, 2), start=STEP_20)


@pytest.mark.parametrize("saved", [(STEP_20,), (STEP_20, STEP_30), ()])
def test_who_comes_back_late_stays_out_also_with_a_snapshot_of_the_same_step(saved):
    """Its own step 30 is that of three workers; that of the others is that of two."""
    told = ready(w0=(STEP_20, STEP_30), w1=(STEP_20, STEP_30), w2=saved)
    after = choose_members(told, set(), TWO_OF_THREE, 3)
    assert after == Members(workers=(0, 1), start=STEP_30, left_at={2: STEP_20})


def test_who_was_left_out_cannot_go_on_alone():
    assert choose_members(ready(w2=(STEP_20,)), {0, 1}, TWO_OF_THREE, 3) == Lacking((0, 1))


def test_a_second_one_may_go():
    told = ready(w1=(STEP_20, STEP_30), w2=(STEP_20,))
    after = choose_members(told, {0}, TWO_OF_THREE, 3)
    assert after == Members(workers=(1,), start=STEP_30, left_at={0: STEP_30, 2: STEP_20})
