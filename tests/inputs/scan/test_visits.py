"""The order of visits."""

import itertools

import pytest

from fitguard.inputs.scan.visits import spread


@pytest.mark.parametrize("parts", [0, 1, 2, 3, 7, 8, 9, 100, 1025])
def test_each_part_once(parts: int) -> None:
    assert sorted(spread(parts)) == list(range(parts))


def test_first_then_last_then_the_middle() -> None:
    assert list(spread(9)) == [0, 8, 4, 2, 6, 1, 5, 3, 7]


@pytest.mark.parametrize("parts", [100, 1000])
@pytest.mark.parametrize("seen", [10, 33])
def test_what_was_seen_is_spread_evenly(parts: int, seen: int) -> None:
    visited = sorted(list(spread(parts))[:seen])
    gaps = [after - before for before, after in itertools.pairwise(visited)]
    assert max(gaps) <= 4 * parts / seen
