"""Columns that say nothing, or nothing new: constant ones and equal ones.

All columns begin as suspects. Some rows, spread over the block, clear almost all of them at once;
only those that are left are looked at row by row, so that a healthy table costs next to nothing.
"""

from threading import Lock

import numpy as np

from fitguard.inputs.scan.pieces import Array, slabs
from fitguard.schema.data import Columns

MOST_COLUMNS = 20_000
"""A wider field is no table."""
SPREAD_ROWS = 256
SPREAD_VALUES = 1 << 20


class ColumnScan:
    """What is gathered of the columns of a table; several threads may add to it."""

    def __init__(self) -> None:
        self._rows = 0
        self._first: Array | None = None
        self._from_zero: Array = np.zeros(0, bool)
        self._constant: Array = np.arange(0)
        self._groups: list[Array] = []
        self._lock = Lock()

    def add(self, block: Array) -> None:
        """Clear the columns that differ in this block."""
        if block.ndim != 2 or block.dtype.kind not in "biuf" or not len(block):
            return
        with self._lock:
            self._rows += len(block)
            if self._first is None:
                self._begin(block)
            elif len(self._first) != block.shape[1]:
                self._constant, self._groups = np.arange(0), []
            if self._suspected:
                self._narrow(_spread(block))
            for _, slab in slabs(block):
                if not self._suspected:
                    return
                self._narrow(slab)

    def result(self) -> Columns | None:
        """What was seen until now; None where it was less than two rows of a table."""
        first = self._first
        if first is None or self._rows < 2:
            return None
        constant = set(self._constant.tolist())
        pairs = [
            (int(column), int(group[0]))
            for group in self._groups
            for column in group[1:]
            if int(column) not in constant
        ]
        return Columns(
            constant=tuple((column, float(first[column])) for column in sorted(constant)),
            duplicate=tuple(sorted(pairs)),
            from_zero=int(np.delete(self._from_zero, sorted(constant)).sum()),
        )

    @property
    def _suspected(self) -> bool:
        return bool(self._constant.size or self._groups)

    def _begin(self, block: Array) -> None:
        width = block.shape[1]
        self._first = np.array(block[0])
        self._from_zero = _spread(block).min(axis=0) == 0
        if 0 < width <= MOST_COLUMNS:
            self._constant = np.arange(width)
            self._groups = [np.arange(width)]

    def _narrow(self, rows: Array) -> None:
        """Clear the columns that change in these rows, and part the groups that differ in them."""
        if self._constant.size:
            assert self._first is not None
            same = (_select_columns(rows, self._constant) == self._first[self._constant]).all(
                axis=0
            )
            self._constant = self._constant[same]
        if self._groups:
            constant = np.zeros(rows.shape[1], bool)
            constant[self._constant] = True
            self._groups = [
                part
                for group in self._groups
                for part in _parts(rows, group, constant[group])
                if len(part) > 1
            ]


def _parts(rows: Array, group: Array, constant: Array) -> list[Array]:
    """Part a group of columns that were equal until now by what they hold in these rows.

    Those that are constant still hold the one value that they had before: they stay together
    without another look.
    """
    by_content: dict[bytes, list[int]] = {}
    moving = group[~constant]
    for column, values in zip(
        moving, np.ascontiguousarray(_select_columns(rows, moving).T), strict=True
    ):
        by_content.setdefault(values.tobytes(), []).append(int(column))
    return [group[constant], *(np.array(columns) for columns in by_content.values())]


def _select_columns(rows: Array, columns: Array) -> Array:
    """These columns; no copy where they are all."""
    return rows if len(columns) == rows.shape[1] else rows[:, columns]


def _spread(block: Array) -> Array:
    """Rows at even distances."""
    most = max(2, min(SPREAD_ROWS, SPREAD_VALUES // max(1, block.shape[1])))
    return block[:: max(1, len(block) // most)]
