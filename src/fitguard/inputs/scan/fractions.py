"""Values that are no whole numbers, where the model takes numbers of rows or classes."""

import numpy as np

from fitguard.inputs.scan.extremes import in_numpy, is_small
from fitguard.inputs.scan.pieces import Array, slabs
from fitguard.inputs.scan.spots import MOST_PLACES, Spots
from fitguard.schema.data import Place, Spotted


class FractionScan:
    """What is gathered of the fractions of a field; several threads may add to it."""

    def __init__(self) -> None:
        self._spots = Spots()

    def add(self, block: Array, first_sample: int, batch: int | None) -> None:
        """Look at a block; what cannot have fractions, and what is not finite, is passed over."""
        if block.dtype.kind != "f" and not is_small(block.dtype):
            return
        for start, slab in slabs(block):
            numbers = in_numpy(slab)
            odd = np.isfinite(numbers) & (numbers != np.trunc(numbers))
            self._note(slab, odd, first_sample + start, batch)

    def result(self) -> Spotted:
        """What was seen until now."""
        return self._spots.result()

    def _note(self, slab: Array, odd: Array, first: int, batch: int | None) -> None:
        self._spots.add(
            int(np.count_nonzero(odd)),
            first,
            lambda: [
                Place(
                    sample=first + int(index[0]),
                    batch=batch,
                    position=tuple(map(int, index[1:])),
                    value=str(slab[tuple(index)]),
                )
                for index in np.argwhere(odd)[:MOST_PLACES]
            ],
        )
