"""Where worker 0 calls for snapshots."""

from fitguard.monitor.beats import Beat
from fitguard.schema.gang import Called, SavedPlace, Wanted
from fitguard.schema.run import Place
from fitguard.supervise.gang.calls import Caller


def beat(steps, *, asks=0, fit=1, answering=1):
    place = Place(fit=fit, total_steps=steps, step=steps)
    return Beat(steps, answering, "training", place, 0, asks)


def at_speed(caller, per_second, seconds=4):
    """Let it see some seconds of training; the steps and the time of its end."""
    for tenth in range(seconds * 10 + 1):
        assert caller.look(beat(int(per_second * tenth / 10)), {}, (), tenth / 10) is None
    return int(per_second * seconds), float(seconds)


def test_nothing_is_called_where_nobody_asks():
    assert at_speed(Caller(), 10) == (40, 4.0)


def test_the_place_is_as_far_ahead_as_a_second_takes():
    caller = Caller()
    steps, now = at_speed(caller, 50)
    called = caller.look(beat(steps, asks=1), {}, (), now)
    assert called.place.fit == 1
    assert 50 <= called.place.steps - steps <= 60
    assert (called.leave, called.number) == (False, 1)


def test_slow_steps_are_called_two_ahead():
    assert Caller().look(beat(7, asks=1), {}, (), 1.0) == Called(place=SavedPlace(1, 9))


def test_one_call_at_a_time():
    caller = Caller()
    caller.look(beat(7, asks=1), {}, (), 1.0)
    assert caller.look(beat(8, asks=2), {}, (), 1.1) is None
    assert caller.look(beat(10, asks=2), {}, (), 9.0) is None
    assert caller.look(beat(10, asks=3), {}, (), 9.1).number == 2


def test_a_wish_to_leave_overtakes_and_is_repeated_where_nobody_has_left():
    caller = Caller()
    caller.look(beat(7, asks=1), {}, (), 1.0)
    wanted = {1: Wanted(worker=1, want="leave")}
    first = caller.look(beat(7, asks=1), wanted, (), 1.1)
    assert first.leave
    assert first.number == 2
    assert caller.look(beat(first.place.steps, asks=1), wanted, (), 2.0) is None
    behind = beat(first.place.steps + 1, asks=1)
    assert caller.look(behind, wanted, (), 2.1) is None, "who takes several steps at once is there"
    again = caller.look(behind, wanted, (), 20.0)
    assert again.leave
    assert again.place > first.place


def test_a_wish_to_leave_is_repeated_in_the_next_fit():
    caller = Caller()
    wanted = {1: Wanted(worker=1, want="leave")}
    assert caller.look(beat(7), wanted, (), 1.0).place.fit == 1
    assert caller.look(beat(0, fit=2), wanted, (), 1.1).place.fit == 2


def test_a_call_to_leave_that_a_worker_missed_is_repeated_further_ahead_each_time():
    caller = Caller()
    called, now = caller.look(beat(7), {0: Wanted(worker=0, want="leave")}, (), 1.0), 1.0
    for number in (1, 2, 3):
        ahead, now = called.place.steps - 7, now + 0.1
        late = {1: Wanted(worker=1, want="leave", number=number, missed=called.number)}
        called = caller.look(beat(7), late, (), now)
        assert called.leave
        assert called.place.steps - 7 == 2 * ahead
        assert caller.look(beat(7), late, (), now) is None, "said once"


def test_any_worker_may_want_a_snapshot_and_gets_one():
    caller = Caller()
    wanted = {1: Wanted(worker=1, want="snapshot")}
    assert caller.look(beat(7), wanted, (), 1.0).leave is False
    assert caller.look(beat(30), wanted, (), 2.0) is None
    again = {1: Wanted(worker=1, want="snapshot", number=2)}
    assert caller.look(beat(31), again, (), 2.1) is not None


def test_nothing_is_called_where_nothing_trains():
    wanted = {1: Wanted(worker=1, want="leave")}
    assert Caller().look(beat(0, fit=0, answering=0), wanted, (), 1.0) is None


def test_sets_that_stay_incomplete_make_the_way_longer():
    caller = Caller()
    first = caller.look(beat(7, asks=1), {}, (), 1.0)
    caller.look(beat(20, asks=1), {}, (), 2.0)
    caller.look(beat(90, asks=2), {}, (), 8.0)
    assert caller.ahead_seconds == 2.0
    assert caller.look(beat(400, asks=2), {}, (first.place,), 20.0) is None


def test_complete_sets_and_early_looks_teach_nothing():
    caller = Caller()
    first = caller.look(beat(7, asks=1), {}, (), 1.0)
    caller.look(beat(20, asks=2), {}, (), 2.0)
    assert caller.ahead_seconds == 1.0
    caller = Caller()
    first = caller.look(beat(7, asks=1), {}, (), 1.0)
    caller.look(beat(20, asks=1), {}, (), 2.0)
    caller.look(beat(90, asks=2), {}, (first.place,), 8.0)
    assert caller.ahead_seconds == 1.0


def test_a_fit_that_ended_before_the_place_teaches_nothing():
    caller = Caller()
    caller.look(beat(7, asks=1), {}, (), 1.0)
    caller.look(beat(1, fit=2, asks=1), {}, (), 2.0)
    caller.look(beat(9, fit=2, asks=2), {}, (SavedPlace(1, end=True),), 9.0)
    assert caller.ahead_seconds == 1.0


def test_who_wants_to_leave_is_not_made_to_wait_long():
    caller = Caller(ahead_seconds=60.0)
    steps, now = at_speed(caller, 10)
    called = caller.look(beat(steps), {0: Wanted(worker=0, want="leave")}, (), now)
    assert called.place.steps - steps <= 90
