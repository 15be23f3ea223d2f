"""Counts how many iterators are made over each dataset.

Each new iterator over a shuffled dataset begins the next order, whether it is read or not. So the
orders of earlier epochs need not be read again: as many iterators are made, and dropped.
"""

import functools
from collections.abc import Callable
from typing import Any

from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wraps

_COUNT = "_fitguard_iterators"
_NUMBER = "_fitguard_number"


def counting_wraps() -> Wraps:
    return {Role.ITERATOR_MADE: _wrap_iterator_making}


def _wrap_iterator_making(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
    @functools.wraps(original)
    def make(dataset: Any) -> Any:
        iterator = original(dataset)
        number = iterators_made(dataset)
        setattr(iterator, _NUMBER, number)
        setattr(dataset, _COUNT, number + 1)
        return iterator

    return make


def iterators_made(dataset: Any) -> int:
    """How many iterators were made over this dataset."""
    return int(getattr(dataset, _COUNT, 0))


def number_of(iterator: Any) -> int:
    """Which of them this one is, from 0."""
    return int(getattr(iterator, _NUMBER, 0))


def make_iterators(dataset: Any, count: int) -> None:
    """Make as many and drop them."""
    for _ in range(count):
        iter(dataset)
