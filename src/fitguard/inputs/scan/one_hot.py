"""Counts the classes of one-hot rows, for as long as all rows are one-hot."""

from collections import Counter
from typing import Any

import numpy as np

from fitguard.inputs.scan.pieces import Array


class OneHotCount:
    """The classes of the rows seen, all of which were one-hot."""

    def __init__(self) -> None:
        self.rows = 0
        self._classes: Array | None = None

    def add(self, slab: Array) -> bool:
        """Count the rows along the last axis; False, and none counted, where one is not one-hot."""
        width = slab.shape[-1]
        if (
            slab.ndim < 2
            or width < 2
            or (self._classes is not None and len(self._classes) != width)
        ):
            return False
        rows = slab.size // width
        ones = slab == slab.dtype.type(1)
        # As many ones as rows, nothing else but zeros, and a one in each row.
        if np.count_nonzero(ones) != rows or np.count_nonzero(slab) != rows:
            return False
        if not ones.any(axis=-1).all():
            return False
        classes = ones.reshape(-1, width).sum(axis=0)
        self._classes = classes if self._classes is None else self._classes + classes
        self.rows += rows
        return True

    def classes(self) -> Counter[Any]:
        """How often each position has the 1."""
        found = () if self._classes is None else enumerate(self._classes.tolist())
        return Counter({position: number for position, number in found if number})

    def values(self) -> Counter[Any]:
        """How often 0 and 1 were there, for those who took the rows for plain numbers."""
        width = 0 if self._classes is None else len(self._classes)
        return Counter({0: self.rows * (width - 1), 1: self.rows}) if self.rows else Counter()
