"""Looks at the single values of a piece that is not healthy."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from fitguard.inputs.scan.extremes import in_numpy, round_to_dtype
from fitguard.inputs.scan.pieces import Array, Origin, first_indices
from fitguard.inputs.scan.spots import MOST_PLACES, Spots
from fitguard.schema.data import Place

Rows = Callable[[int], int]
Allowed = tuple[Any, Any, float | None]
"""The lowest and the highest value, and one that is allowed wherever it lies; None: no such."""


class CloseLook:
    """Notes values of one block, with their places.

    Args:
        first_sample: The number of the block's first sample.
        batch: The batch of a stream that the block is.
        rows: Tells the sample of a value, where the block holds those of a sparse or ragged array.
    """

    def __init__(
        self, block: Array, first_sample: int, batch: int | None, rows: Rows | None = None
    ) -> None:
        self._block = block
        self._first_sample = first_sample
        self._batch = batch
        self._rows = rows

    def not_finite(self, values: Array, origin: Origin, nans: Spots, infinities: Spots) -> Array:
        """Note what is not finite; the rest, in a row."""
        numbers = in_numpy(values)
        finite = np.isfinite(numbers)
        nan = np.isnat(numbers) if numbers.dtype.kind in "mM" else np.isnan(numbers)
        self.note(nans, nan, origin)
        self.note(infinities, ~(finite | nan), origin)
        return values[finite]

    def outside(self, values: Array, origin: Origin, allowed: Allowed, spots: Spots) -> None:
        """Note the finite values that are not allowed."""
        low, high, ignored = allowed
        numbers = in_numpy(values)
        outside = np.zeros(numbers.shape, bool)
        if low is not None:
            outside |= numbers < low
        if high is not None:
            outside |= numbers > high
        if ignored is not None:
            outside &= numbers != round_to_dtype(ignored, numbers.dtype)
        if numbers.dtype.kind == "f":
            outside &= np.isfinite(numbers)
        self.note(spots, outside, origin)

    def note(self, spots: Spots, mask: Array, origin: Origin) -> None:
        """Note the values of a piece that a mask marks."""
        shape = self._block.shape
        earliest = origin[0] // math.prod(shape[1:]) if len(origin) == 1 else origin[0]
        earliest = 0 if self._rows is not None else earliest
        spots.add(
            int(np.count_nonzero(mask)),
            self._first_sample + earliest,
            lambda: [self._place(i) for i in first_indices(mask, origin, shape, MOST_PLACES)],
        )

    def _place(self, index: Origin) -> Place:
        return Place(
            sample=self._first_sample + (self._rows(index[0]) if self._rows else index[0]),
            batch=self._batch,
            position=() if self._rows else index[1:],
            value=str(self._block[index]),
        )
