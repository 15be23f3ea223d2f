"""Which training goes onto which card."""

import pytest
from fleet.cards import GIB, ask, card, packer_of, place

from fitguard.fleet.packing import Packer
from fitguard.fleet.waiting_line import WaitingLine


def add(packer, *requests):
    for request in requests:
        packer.add(request)
    return packer


def test_nothing():
    assert Packer().place() == ()
    assert Packer().find_misfits() == ()
    assert packer_of(80).place() == ()


def test_the_largest_first_each_on_the_card_where_the_least_is_left():
    packer = add(packer_of(80, 24), ask("small", 10), ask("middle", 20), ask("large", 70))
    assert place(packer) == [("large", 0), ("middle", 1), ("small", 0)]
    assert packer.used_bytes(("n", 0)) == 80 * GIB


def test_equal_ones_in_the_order_in_which_they_came():
    packer = add(packer_of(24), ask("b", 13), ask("a", 13))
    assert place(packer) == [("b", 0)]
    packer.release("b")
    assert place(packer) == [("a", 0)]


def test_priority_comes_before_size():
    packer = add(packer_of(24), ask("large", 20), ask("urgent", 5, priority=1))
    assert place(packer) == [("urgent", 0)]


def test_names_of_cards():
    packer = packer_of(80)
    packer.add_card(card(1, 24, name="NVIDIA RTX A5000"))
    add(packer, ask("a", 10, cards=("*rtx*",)), ask("b", 10, cards=("*A100*", "*H200")))
    assert place(packer) == [("a", 1), ("b", 0)]


def test_a_gang_gets_all_its_cards_or_none():
    packer = add(packer_of(24, 24), ask("alone", 20, priority=1), ask("gang", 15, workers=2))
    assert place(packer) == [("alone", 0)]
    packer.release("alone")
    assert place(packer) == [("gang", 0, 1)]


def test_what_is_too_large_for_every_card():
    packer = packer_of(80)
    packer.add_card(card(1, 24, name="RTX"))
    packer.add_card(card(2, 140, left_out="it failed a probe"))
    add(packer, ask("a", 90), ask("b", 30, cards=("RTX",)), ask("c", 50, workers=2), ask("d", 5))
    add(packer, ask("e", 1, cards=("T4",)))
    assert [name for name, *_ in place(packer)] == ["d"]
    found = {misfit.request.name: misfit for misfit in packer.find_misfits()}
    assert sorted(found) == ["a", "b", "c", "e"]
    assert (found["a"].largest.index, found["a"].left_out) == (0, (("n", 2),))
    assert (found["b"].largest.index, found["b"].left_out) == (1, ())
    assert found["c"].largest.index == 1
    assert found["e"].largest is None
    packer.add_card(card(2, 140))
    assert [name for name, *_ in place(packer)] == ["a", "c"]


def test_a_whole_card_is_the_largest_one_and_empty():
    packer = add(packer_of(80, 140), ask("other", 100), ask("whole", 200, whole_card=True))
    assert place(packer) == [("whole", 1)]
    packer.release("whole")
    assert place(packer) == [("other", 1)]
    packer.add(ask("again", 200, whole_card=True))
    assert place(packer) == []  # not the smaller card, which is free
    packer.release("other")
    (placed,) = packer.place()
    assert placed.memory_bytes == 140 * GIB


def test_a_card_that_is_left_out():
    packer = add(packer_of(80, 24), ask("a", 20))
    assert place(packer) == [("a", 1)]
    packer.add_card(card(1, 24, left_out="it fell off the bus"))
    packer.add(ask("b", 4))
    assert place(packer) == [("b", 0)]
    packer.release("a")
    packer.add_card(card(1, 24))
    packer.add(ask("c", 4))
    assert place(packer) == [("c", 1)]


def test_a_card_on_which_it_failed_is_the_last_resort():
    avoid = frozenset({("n", 1)})
    packer = add(packer_of(80, 24), ask("a", 20, avoid=avoid), ask("b", 70))
    assert place(packer) == [("b", 0)]  # `a` waits for the other card
    packer.remove_card(("n", 0))
    assert place(packer) == [("a", 1)]


def test_a_node_that_goes_takes_its_trainings_with_it():
    packer = add(packer_of(24, 24), ask("gang", 15, workers=2), ask("a", 5))
    place(packer)
    assert sorted(packer.remove_card(("n", 0))) == ["a", "gang"]
    assert packer.remove_card(("n", 0)) == ()
    assert packer.used_bytes(("n", 1)) == 0
    packer.add(ask("later", 20))
    packer.add(ask("a", 20))
    assert place(packer) == [("a", 1)]  # with the place in the line that it had


def test_twice_is_an_error():
    packer = add(packer_of(24), ask("a", 5))
    with pytest.raises(ValueError, match="Received a twice"):
        packer.add(ask("a", 5))
    place(packer)
    with pytest.raises(ValueError, match="Received a twice"):
        packer.add(ask("a", 5))


def test_small_ones_do_not_delay_the_first_beyond_what_runs_now():
    """One small training ends, another one comes, for ever: the large one starts nevertheless."""
    packer = add(packer_of(24, 24), *[ask(f"now-{n}", 12) for n in range(4)])
    running = [name for name, *_ in place(packer)]
    packer.add(ask("large", 24))
    for number in range(8):
        packer.add(ask(f"later-{number}", 6))
        started = [name for name, *_ in place(packer)]
        if "large" in started:
            break
        running += started
        packer.release(running.pop(0))
    assert "large" in packer.list_running()
    assert number <= 5


def test_what_is_left_over_on_a_held_card_is_used():
    packer = add(packer_of(24), ask("now", 12))
    place(packer)
    add(packer, ask("first", 16), ask("fits beside both", 8), ask("would delay", 9))
    assert place(packer) == [("fits beside both", 0)]
    packer.release("now")
    assert place(packer) == [("first", 0)]


def test_ever_more_large_ones_do_not_overtake_a_small_one_for_ever():
    packer = add(packer_of(20, line=WaitingLine(generation=10)), ask("large-0", 20))
    place(packer)
    packer.add(ask("small", 5))
    for number in range(1, 30):
        packer.add(ask(f"large-{number}", 20))
        packer.release(packer.list_running()[0])
        if ("small", 0) in place(packer):
            break
    assert number <= 11


# Preemption --------------------------------------------------------------------------------------


def test_the_lowest_priority_leaves_then_the_fewest():
    packer = add(
        packer_of(24, 24, 24),
        ask("two-of-0", 12), ask("two-of-0b", 12),
        ask("one-of-1", 24, priority=1), ask("one-of-5", 24, priority=5),
    )  # fmt: skip
    place(packer)
    packer.add(ask("urgent", 20, priority=5))
    assert packer.choose_victims("urgent") == ("two-of-0", "two-of-0b")
    assert packer.choose_victims("urgent") == ()  # they have been told
    packer.release("two-of-0")
    packer.add(ask("sneaks in", 6))
    assert place(packer) == []  # the room is for whom it was made
    packer.release("two-of-0b")
    assert [name for name, *_ in place(packer)] == ["urgent"]


def test_as_few_as_can_be():
    packer = add(packer_of(30), ask("a", 10), ask("b", 8), ask("c", 12))
    place(packer)
    packer.add(ask("urgent", 9, priority=1))
    assert packer.choose_victims("urgent") == ("a",)


def test_nobody_leaves_for_the_same_priority():
    packer = add(packer_of(24), ask("a", 20))
    place(packer)
    packer.add(ask("b", 20))
    assert packer.choose_victims("b") == ()


def test_a_gang_clears_as_many_cards_as_it_needs():
    packer = add(packer_of(24, 24, 24), *[ask(f"{n}", 20, priority=n) for n in range(3)])
    place(packer)
    packer.add(ask("gang", 10, workers=2, priority=2))
    assert packer.choose_victims("gang") == ("0", "1")
    packer.release("0")
    assert place(packer) == []
    packer.release("1")
    assert [name for name, *_ in place(packer)] == ["gang"]


def test_two_who_make_room_at_the_same_time():
    packer = add(packer_of(24, 24), ask("a", 20), ask("b", 20))
    place(packer)
    add(packer, ask("x", 20, priority=1), ask("y", 20, priority=1), ask("z", 20, priority=1))
    victims = [packer.choose_victims(name) for name in "xyz"]
    assert sorted(victims) == [(), ("a",), ("b",)]
    packer.release("a")
    packer.release("b")
    assert sorted(name for name, *_ in place(packer)) == ["x", "y"]


def test_a_whole_card_is_cleared_of_all():
    packer = add(packer_of(24), ask("a", 5), ask("b", 5))
    place(packer)
    packer.add(ask("whole", 99, priority=1, whole_card=True))
    assert packer.choose_victims("whole") == ("a", "b")


def test_room_made_on_a_card_that_is_gone_is_made_elsewhere():
    packer = add(packer_of(24, 24), ask("a", 20), ask("b", 20))
    place(packer)
    packer.add(ask("x", 20, priority=1))
    (victim,) = packer.choose_victims("x")
    gone = ("n", 0 if victim == "a" else 1)
    assert packer.remove_card(gone) == (victim,)
    assert packer.choose_victims("x") == ({"a": "b", "b": "a"}[victim],)


def test_the_first_is_the_first_for_whom_there_are_cards():
    packer = packer_of(80)
    assert packer.find_first() is None
    add(packer, ask("huge", 200, priority=9), ask("low", 60), ask("high", 60, priority=5))
    assert packer.find_first().name == "high"
    assert place(packer) == [("high", 0)]
    assert packer.find_first().name == "low"
