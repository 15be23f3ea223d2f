"""Nodes that come later than the head: nothing is refused before they had time."""

from fitguard.fleet.nodes import Awaiting

SILENCE = ((), ())


def test_nothing_is_said_where_all_are_there():
    awaiting = Awaiting(None)
    assert awaiting.goes_on
    assert awaiting.look(1, now=0.0) == SILENCE
    assert not awaiting.goes_on


def test_it_waits_for_the_first_node():
    awaiting = Awaiting(None)
    (said,), lasting = awaiting.look(0, now=0.0)
    assert "0 of 1 node" in said
    assert not lasting
    assert awaiting.look(0, now=119.0) == SILENCE
    assert awaiting.goes_on
    passing, (said,) = awaiting.look(0, now=120.0)
    assert not passing
    assert "2 min" in said
    assert not awaiting.goes_on
    assert awaiting.look(0, now=999.0) == SILENCE


def test_it_waits_longer_for_as_many_as_were_said():
    awaiting = Awaiting(3)
    awaiting.look(2, now=0.0)
    assert awaiting.look(2, now=599.0) == SILENCE
    assert awaiting.look(3, now=599.5) == SILENCE
    assert not awaiting.goes_on


def test_a_node_that_is_lost_later_is_not_waited_for():
    awaiting = Awaiting(2)
    awaiting.look(2, now=0.0)
    assert awaiting.look(1, now=1.0) == SILENCE
    assert not awaiting.goes_on
