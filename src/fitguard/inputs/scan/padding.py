"""Samples that are padding only, or have it where cuDNN's RNN does not take it."""

import numpy as np

from fitguard.inputs.scan.extremes import is_number, round_to_dtype
from fitguard.inputs.scan.pieces import Array, slabs
from fitguard.inputs.scan.spots import MOST_PLACES, Spots
from fitguard.schema.data import Padding, Place


class PaddingScan:
    """What is gathered of the padding of sequences; several threads may add to it.

    Args:
        mask_value: A step counts as padding where all its features are equal to it.
    """

    def __init__(self, mask_value: float) -> None:
        self._mask_value = mask_value
        self._all_masked = Spots()
        self._left_padded = Spots()

    def add(self, block: Array, first_sample: int, batch: int | None) -> None:
        """Look at the samples of a block; those without a time axis are passed over."""
        if block.ndim < 2 or not block.shape[1] or not is_number(block.dtype):
            return
        for start, slab in slabs(block):
            masked = self._find_padding(slab)
            first = first_sample + start
            self._note(self._all_masked, np.asarray(masked.all(axis=1)), first, batch)
            wrong = np.asarray((masked[:, :-1] & ~masked[:, 1:]).any(axis=1))
            self._note(self._left_padded, wrong, first, batch)

    def result(self) -> Padding:
        """What was seen until now."""
        return Padding(all_masked=self._all_masked.result(), left_padded=self._left_padded.result())

    def _find_padding(self, slab: Array) -> Array:
        """Which steps of which samples are padding."""
        masked: Array = slab == round_to_dtype(self._mask_value, slab.dtype)
        features = tuple(range(2, slab.ndim))
        return np.asarray(masked.all(axis=features)) if features else masked

    def _note(self, spots: Spots, samples: Array, first: int, batch: int | None) -> None:
        spots.add(
            int(np.count_nonzero(samples)),
            first,
            lambda: [
                Place(sample=first + int(number), batch=batch)
                for number in np.flatnonzero(samples)[:MOST_PLACES]
            ],
        )
