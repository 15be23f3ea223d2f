"""Who comes first: memory times time, and what changes when more is known of the time."""

import random

import pytest
from fleet.cards import ask, packer_of, place
from fleet.reference import pack_offline, play
from fleet.sets import ISSUE_CARDS, draw_issue, draw_scripts, make_cards, make_jobs

from fitguard.fleet.expecting import Expecting
from fitguard.fleet.waiting_line import WaitingLine

SETS = 6


def line_up(*requests, generation=1000):
    line = WaitingLine(generation)
    for request in requests:
        line.add(request)
    return line


def list_names(line):
    return sorted((request.name for request in line), key=line.find_order)


def test_the_longest_first_of_the_same_size():
    packer = packer_of(24)
    for name, seconds in (("short", 60), ("long", 3600), ("middle", 600)):
        packer.add(ask(name, 20, takes_seconds=seconds))
    started = []
    for _ in range(3):
        started += [name for name, *_ in place(packer)]
        packer.release(started[-1])
    assert started == ["long", "middle", "short"]


def test_memory_and_time_count_alike():
    line = line_up(ask("a", 10, takes_seconds=300), ask("b", 40, takes_seconds=60),
                   ask("c", 2, takes_seconds=3000))  # fmt: skip
    assert list_names(line) == ["c", "a", "b"]


def test_priority_comes_before_time():
    line = line_up(ask("long", 20, takes_seconds=9000), ask("urgent", 1, priority=1))
    assert list_names(line) == ["urgent", "long"]


def test_about_as_long_is_as_long():
    """The larger one first, though it is said to take a little less."""
    line = line_up(ask("a", 10, takes_seconds=103), ask("b", 10.5, takes_seconds=100))
    assert list_names(line) == ["b", "a"]


def test_more_is_known():
    line = line_up(*[ask(name, 10) for name in "abcd"])
    assert list_names(line) == list("abcd")
    line.retime({"c": 500.0, "d": 50.0, "gone": 7.0})
    assert list_names(line) == list("cdab")
    line.retime({"a": 5000.0, "c": None})
    assert list_names(line) == list("adbc")
    assert line.remove("a").name == "a"
    assert [line.get(name).name for name in list_names(line)] == list("dbc")


def test_a_new_time_keeps_the_number_and_the_generation():
    line = line_up(ask("old", 10), ask("other", 10), generation=1)
    line.starts += 1
    line.add(ask("new", 10, takes_seconds=10_000))
    line.retime({"old": 60.0, "other": 60.0})
    assert list_names(line) == ["old", "other", "new"]


def test_the_first_in_line_changes_while_a_card_is_held():
    packer = packer_of(24)
    for request in (ask("now", 20), ask("a", 24), ask("b", 23)):
        packer.add(request)
        if request.name == "now":
            place(packer)
    place(packer)
    assert packer.holds_for("a")
    packer.retime({"b": 9000.0, "a": 10.0})
    place(packer)
    assert packer.holds_for("b")
    assert not packer.holds_for("a")


def guess_time(one):
    """Up to 1.5 times too long or too short."""
    return one.seconds * 1.5 ** random.Random(one.name).uniform(-1, 1)


@pytest.mark.parametrize("spread", ["1 to 3", "1 to 10", "lognormal, sigma 0.6"])
def test_what_is_known_of_times_is_used(spread):
    """Told, also with a factor of 1.5 either way: within 1.15 of the best packing, on average."""
    cards = make_cards(ISSUE_CARDS)
    ratios = {"told": [], "about": [], "unknown": []}
    for seed in range(SETS):
        trainings = draw_issue(seed, spread)
        told = Expecting(make_jobs(trainings, lambda one: one.seconds))
        off = make_jobs(trainings, guess_time)
        taken = {
            "told": play(trainings, cards, told),
            "about": play(trainings, cards, Expecting(off)),
            "unknown": play(trainings, cards),
        }
        best = min(pack_offline(trainings, cards, seed, tries=50), *taken.values())
        for name, seconds in taken.items():
            ratios[name].append(seconds / best)
    means = {name: sum(found) / SETS for name, found in ratios.items()}
    assert means["told"] <= 1.1
    assert means["about"] <= 1.15
    assert means["told"] < means["unknown"]


def test_what_was_learned_is_used():
    cards = make_cards(ISSUE_CARDS)
    learned, unknown = 0.0, 0.0
    for seed in range(SETS):
        trainings = draw_scripts(seed, "1 to 10")
        learned += play(trainings, cards, Expecting(make_jobs(trainings)))
        unknown += play(trainings, cards)
    assert learned < 0.97 * unknown
