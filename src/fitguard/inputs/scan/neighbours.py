"""How often the label changes from one sample to the next: seldom where data are sorted by it."""

import numpy as np

from fitguard.inputs.scan.pieces import Array


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
