"""What the journal tells of steps that are recomputed."""

import msgspec

from fitguard.monitor.attempt_events import AttemptEvents
from fitguard.monitor.decisions import decisions
from fitguard.schema.journal import RecomputationChosen


def chosen(attempt, wanted=0.75, share=0.7):
    return RecomputationChosen(
        time=1.0,
        attempt=attempt,
        fit=1,
        wanted=wanted,
        share=share,
        extra=0.12,
        count=44,
        why="it did not fit into memory",
    )


def test_the_next_attempt_asks_for_what_this_one_asked_for():
    known = AttemptEvents(1, first_time=0.0, last_time=0.0)
    known.take(chosen(1))
    assert known.shares == {1: 0.75}


def test_only_a_change_is_a_decision():
    told = decisions([chosen(1), chosen(2), chosen(2, wanted=0.5, share=0.45)])
    assert [one.attempt for one in told] == [1, 2]
    assert told[0].text == (
        "The batch stays whole, and 44 operations of a step run twice, so that it takes 30% less "
        "memory and about 12% more time: it did not fit into memory"
    )


def test_where_nothing_runs_twice_it_is_the_order():
    (told,) = decisions([msgspec.structs.replace(chosen(1), count=0, extra=0.0)])
    assert told.text == (
        "The batch stays whole, and a step runs in another order, so that it takes 30% less "
        "memory: it did not fit into memory"
    )
