"""The cheapest way to train a batch that does not fit: whole and recomputed, or in parts."""

import math
from dataclasses import dataclass

from fitguard.memory.advice.micro_batch import count_held_bytes, find_largest_part
from fitguard.memory.estimate import Estimator
from fitguard.memory.graph.estimator import GraphEstimator
from fitguard.memory.recomputing.estimating import find_recomputed
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.recomputing.timing import weigh_parts
from fitguard.memory.training import Training
from fitguard.schema.batch_parts import compiled_part, large_part
from fitguard.schema.ways import Way

WORTH = 1.1
"""Parts that take at most so many times as long as the whole batch are taken without more ado."""
_LARGER = (2, 3)
"""Recomputed parts have so many times the rows of those that fit as they are."""


@dataclass(frozen=True)
class Batch:
    """A batch that does not fit.

    Args:
        rows: Of all of it.
        usable_bytes: What a step may take.
        bytes_per_second: How fast the card reads and writes its memory.
    """

    training: Training
    rows: int
    usable_bytes: int
    bytes_per_second: float

    def find_cheapest(self, estimator: Estimator, *, split: bool, recompute: bool) -> Way | None:
        """The way that costs least time; None where nothing fits for sure.

        Args:
            split: Whether parts give the same result.
            recompute: Whether the step can be recomputed.
        """
        if not isinstance(estimator, GraphEstimator):
            # XLA keeps what it likes: only a trial tells what recomputation saves.
            return self._split(estimator) if split else None
        found = self._split(estimator) if split else None
        if not recompute or (found is not None and found.times and found.times <= WORTH):
            return found
        ways = [one for one in (found, self._recompute(estimator)) if one is not None]
        if split and all(way.rows is not None for way in ways):
            ways += self._recompute_parts(estimator, found)
        return min(ways, key=lambda way: way.times or math.inf, default=None)

    def _weigh(self, estimator: GraphEstimator, rows: int, extra: float = 0.0) -> float:
        return weigh_parts(estimator.step, self.rows, rows, self.bytes_per_second, extra)

    def _split(self, estimator: Estimator) -> Way | None:
        found = find_largest_part(self.training, estimator, self.rows, self.usable_bytes)
        if found is None:
            return None
        most, _ = found
        if not isinstance(estimator, GraphEstimator):
            return Way(rows=compiled_part(self.rows, most))
        rows = large_part(self.rows, most)
        return Way(rows=rows, times=self._weigh(estimator, rows))

    def _recompute(self, estimator: GraphEstimator) -> Way | None:
        found = _find_fitting(estimator, self.rows, self.usable_bytes)
        return None if found is None else Way(share=found.share, times=1 + found.extra)

    def _recompute_parts(self, estimator: GraphEstimator, plain: Way | None) -> list[Way]:
        """Larger parts, each of which is recomputed; of one row where not even that one fits."""
        least = plain.rows if plain is not None and plain.rows is not None else None
        sizes = [1] if least is None else [large_part(self.rows, most * least) for most in _LARGER]
        usable = self.usable_bytes - count_held_bytes(self.training, self.rows)
        ways = []
        for rows in dict.fromkeys(size for size in sizes if size < self.rows):
            found = _find_fitting(estimator, rows, usable)
            if found is not None:
                times = self._weigh(estimator, rows, found.extra)
                ways.append(Way(rows=rows, share=found.share, times=times))
        return ways


def _find_fitting(estimator: GraphEstimator, rows: int, usable_bytes: int) -> Recomputation | None:
    """The cheapest recomputation in which so many rows fit for sure."""
    found = find_recomputed(estimator, rows, usable_bytes)
    if found is None or found.estimator.at(rows).required.high > usable_bytes:
        return None
    return found.way
