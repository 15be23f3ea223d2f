"""Counts labels: whole numbers, one-hot rows, other numbers, text and objects."""

from collections import Counter
from threading import Lock
from typing import Any

import numpy as np

from fitguard.inputs.scan.extremes import in_numpy, is_number
from fitguard.inputs.scan.one_hot import OneHotCount
from fitguard.inputs.scan.pieces import Array, slabs
from fitguard.schema.data import ClassCount, Labels


class NeighbourCount:
    """Compares samples that come one after the other.

    Args:
        pairs, changes: How many pairs were compared, and how many of them differ.
        single: Whether all samples were of one value each.
    """

    def __init__(self) -> None:
        self.pairs = 0
        self.changes = 0
        self.single = True

    def add(self, slab: Array) -> None:
        """Compare the samples of one value, or one row, each; others are passed over."""
        if slab.ndim > 2 or slab.dtype.kind == "O":
            return
        rows = slab.reshape(len(slab), -1)
        self.single = self.single and rows.shape[1] == 1
        self.pairs += len(rows) - 1
        self.changes += int(np.count_nonzero((rows[1:] != rows[:-1]).any(axis=1)))


MOST_DISTINCT = 100_000
"""Beyond it, values are quantities and no labels: they are not counted on."""
MOST_LISTED = 300
LISTED_OF_MANY = 10
"""Where there are more than `MOST_LISTED` labels, so many of the most and of the least frequent."""
WIDEST_TABLE = 1 << 18
LONGEST_NAME = 80


class LabelCount:
    """What is gathered of a field of labels; several threads may add to it."""

    def __init__(self) -> None:
        self._integral: bool | None = None
        self._counts: Counter[Any] | None = Counter()
        self._one_hot: OneHotCount | None = OneHotCount()
        self._neighbours = NeighbourCount()
        self._lock = Lock()

    def add(self, block: Array) -> None:
        """Count the labels of a block."""
        with self._lock:
            for _, slab in slabs(block):
                if slab.size:
                    self._add(slab)
                    self._neighbours.add(slab)

    def result(self) -> Labels:
        """What was seen until now."""
        counts, one_hot = self._counts, None
        if self._one_hot is not None and self._one_hot.rows:
            counts, one_hot = self._one_hot.classes(), True
        elif self._one_hot is None:
            one_hot = False
        # Rows of several numbers are labels of one sample only where they are one-hot.
        one_each = self._neighbours.single or one_hot
        return Labels(
            integral=self._integral,
            one_hot=one_hot,
            distinct=None if counts is None else len(counts),
            counts=_list_classes(counts or Counter()),
            neighbours=self._neighbours.pairs if one_each else 0,
            changes=self._neighbours.changes if one_each else 0,
        )

    def _add(self, slab: Array) -> None:
        numeric = is_number(slab.dtype)
        slab = in_numpy(slab)
        if self._one_hot is not None:
            if numeric and self._one_hot.add(slab):
                self._integral = self._integral is not False
                return
            if self._counts is not None:
                self._counts += self._one_hot.values()
            self._one_hot = None
        if numeric:
            self._add_numbers(slab)
        elif self._counts is not None:
            self._count(_count_by_name(slab))

    def _add_numbers(self, slab: Array) -> None:
        values = slab.reshape(-1)
        whole = True
        if values.dtype.kind == "f":
            values = values[np.isfinite(values)]
            whole = bool((values == np.rint(values)).all())
        if values.size:
            self._integral = whole and self._integral is not False
            if self._counts is not None:
                self._count(_count_values(values, whole))

    def _count(self, found: Counter[Any]) -> None:
        assert self._counts is not None
        self._counts.update(found)
        if len(self._counts) > MOST_DISTINCT:
            self._counts = None


def _count_values(values: Array, whole: bool) -> Counter[Any]:
    """How often each value is there; quicker where they are whole numbers close together."""
    low, high = values.min().item(), values.max().item()
    if whole and high - low < WIDEST_TABLE and max(-low, high) < 1 << 53:
        number = np.bincount(values.astype(np.intp) - int(low))
        there = np.flatnonzero(number)
        return Counter(dict(zip((there + int(low)).tolist(), number[there].tolist(), strict=True)))
    distinct, number = np.unique(values, return_counts=True)
    return Counter(dict(zip(distinct.tolist(), number.tolist(), strict=True)))


def _count_by_name(slab: Array) -> Counter[Any]:
    """Text and objects, by what is written for them."""
    values = slab.reshape(-1).tolist()
    try:
        found = Counter(values)
    except Exception:  # lists and arrays have no hash; a class of the user's may raise anything
        return Counter(_name(value) for value in values)
    named: Counter[Any] = Counter()
    for value, number in found.items():
        named[_name(value)] += number
    return named


def _name(value: Any) -> float | str:
    if isinstance(value, bool | float) or (isinstance(value, int) and abs(value) < 1 << 1023):
        return value
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    try:
        return str(value)[:LONGEST_NAME]
    except Exception:  # a class of the user's, or a number that is too long to be written
        return f"<{type(value).__name__}>"


def _list_classes(counts: Counter[Any]) -> tuple[ClassCount, ...]:
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], str(entry[0])))
    if len(ordered) > MOST_LISTED:
        ordered = ordered[:LISTED_OF_MANY] + ordered[-LISTED_OF_MANY:]
    return tuple(
        ClassCount(value if isinstance(value, str) else float(value), number)
        for value, number in ordered
    )
