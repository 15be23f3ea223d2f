"""What has no state, and long lists of samples: kept as a whole, not sample by sample.

A million file names, or a hundred thousand token lists, are looked at by their types only, and
copied in one go.
"""

import functools
import itertools
import types
from typing import Any

import numpy as np

MANY = 1000
"""From here on things of one type count as a bulk."""

MUCH, MUCH_IN_BULK = 200_000, 20_000
"""A container with more is taken for data: it is only compared."""

_PLAIN = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    np.generic,
    np.dtype,
    types.CodeType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)


def is_plain(thing: object) -> bool:
    """Whether it has no state, nor has what it holds."""
    kind: type = type(thing)
    return is_plain_type(kind) or (
        isinstance(thing, tuple | frozenset) and all(map(is_plain_type, map(type, thing)))
    )


@functools.lru_cache(maxsize=4096)
def is_plain_type(kind: type) -> bool:
    """Whether things of this type have no state: numbers, texts, modules."""
    return issubclass(kind, _PLAIN)


def items_of(container: Any) -> list[Any]:
    """What a container holds; of a dict, the values."""
    return list(container.values() if isinstance(container, dict) else container)


def all_plain(items: list[Any]) -> bool:
    """Whether no item has state: all are numbers and texts, or all are tuples of them."""
    kinds = set(map(type, items))
    if kinds == {tuple}:
        kinds = set(map(type, itertools.chain.from_iterable(items)))
    return all(map(is_plain_type, kinds))


def is_bulk(items: list[Any]) -> bool:
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
    return all(map(is_plain_type, set(map(type, inner))))


def is_much(container: Any) -> bool:
    """Whether it holds so much that to keep each item would take long."""
    size = len(container)
    return size > MUCH or (size > MUCH_IN_BULK and is_bulk(items_of(container)))


def put_back(items: list[Any], copies: list[Any]) -> None:
    """Give each list, dict or set what its copy holds."""
    for item, copy in zip(items, copies, strict=True):
        if item != copy:
            item.clear()
            (item.extend if isinstance(item, list) else item.update)(copy)
