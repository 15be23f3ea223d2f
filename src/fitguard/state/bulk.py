"""Long lists of samples that Python code reads: kept as a whole, not sample by sample.

A million file names, or a hundred thousand token lists, are looked at by their types only, and
copied in one go.
"""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from fitguard.contract.random_sources import Restore

MANY = 1000
"""From here on things of one type count as a bulk."""

MUCH, MUCH_IN_BULK = 200_000, 20_000
"""A container with more is taken for data: it is only compared."""

IsPlain = Callable[[type], bool]


def items_of(container: Any) -> list[Any]:
    """What a container holds; of a dict, the values."""
    return list(container.values() if isinstance(container, dict) else container)


def all_plain(items: list[Any], is_plain: IsPlain) -> bool:
    """Whether no item has state: all are numbers and texts, or all are tuples of them."""
    kinds = set(map(type, items))
    if kinds == {tuple}:
        kinds = set(map(type, itertools.chain.from_iterable(items)))
    return all(map(is_plain, kinds))


def is_bulk(items: list[Any], is_plain: IsPlain) -> bool:
    """Whether the items are many arrays, or many lists, dicts or sets of plain values."""
    kinds = set(map(type, items))
    if len(items) < MANY or len(kinds) != 1:
        return False
    kind = kinds.pop()
    if kind is np.ndarray:
        return not any(item.dtype == object for item in items)
    if kind not in (list, dict, set):
        return False
    inner = itertools.chain.from_iterable(map(items_of, items))
    return all(map(is_plain, set(map(type, inner))))


def is_much(container: Any, is_plain: IsPlain) -> bool:
    """Whether it holds so much that to keep each item would take long."""
    size = len(container)
    return size > MUCH or (size > MUCH_IN_BULK and is_bulk(items_of(container), is_plain))


def bulk_restore(items: list[Any]) -> Restore:
    """A call that gives each list, dict or set what it holds now."""
    copies = [item.copy() for item in items]

    def restore() -> None:
        for item, copy in zip(items, copies, strict=True):
            if item != copy:
                item.clear()
                (item.extend if isinstance(item, list) else item.update)(copy)

    return restore
