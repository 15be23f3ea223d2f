"""A few trials find the least memory in which a step runs."""

import pytest

from fitguard.memory.measuring.bisection import MOST_TRIALS, Bracket, Search

ESTIMATE = Search(low=900, likely=1000, high=1100, ceiling=4000)


def tried(search, needs):
    """The limits that were tried for a step that needs so much, and what is known then."""
    limits = []

    def runs_in(limit):
        limits.append(limit)
        return limit >= needs

    return limits, search.run(runs_in)


@pytest.mark.parametrize("needs", [905, 930, 999, 1000, 1001, 1060, 1100])
def test_inside_of_the_range_the_least_memory_is_told_to_2_percent(needs):
    limits, found = tried(ESTIMATE, needs)
    assert found.fails < needs <= found.runs
    assert found.runs - found.fails <= 0.02 * found.runs
    assert limits[0] == 1000
    assert len(limits) == len(set(limits)) <= MOST_TRIALS


@pytest.mark.parametrize("needs", [700, 800, 1200, 1300])
def test_outside_of_the_range_it_is_still_found_from_both_sides(needs):
    _, found = tried(ESTIMATE, needs)
    assert found.fails < needs <= found.runs
    assert found.runs - found.fails <= 0.2 * found.runs


def test_nothing_above_the_ceiling_is_tried():
    limits, found = tried(Search(low=900, likely=1000, high=1100, ceiling=1040), 2000)
    assert found == Bracket(runs=None, fails=1040)
    assert max(limits) == 1040


def test_a_tiny_step_ends_at_one_mib():
    limits, found = tried(Search(low=0, likely=1, high=1, ceiling=100), 1)
    assert (limits, found) == ([1], Bracket(runs=1))


def test_a_trial_without_an_answer_ends_the_search():
    answers = iter([True, None])
    assert ESTIMATE.run(lambda _: next(answers)) == Bracket(runs=1000)
