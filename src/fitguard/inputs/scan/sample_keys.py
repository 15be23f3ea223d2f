"""One number for each sample, the same for equal samples, from a few of its values."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from fitguard.inputs.scan.extremes import in_numpy, is_number
from fitguard.inputs.scan.objects import holds_objects
from fitguard.inputs.scan.pieces import Array

POSITIONS = 8
MOST_TRIED = 512
TRIED_SAMPLES = 200
"""So many positions of so many samples are looked at for those positions that tell most."""
SHORTEST_TEXT = 4
ODD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose multiples spread well over 64 bits (2^64 by the golden ratio)."""


class SampleKeys:
    """Makes keys from the positions at which some samples differ most.

    Only the values at these positions are read: samples may be large, and lie in a file.

    Args:
        fields: The fields of the samples.
        numbers: Which of the samples to find the positions with.
    """

    def __init__(self, fields: Sequence[Array], numbers: Array) -> None:
        few = numbers[:: max(1, len(numbers) // TRIED_SAMPLES)]
        self._positions = [_telling_positions(field, few) for field in fields]

    def of(self, fields: Sequence[Array], numbers: Array) -> Array:
        """The key of each of these samples."""
        keys = np.zeros(len(numbers), np.uint64)
        for field, positions in zip(fields, self._positions, strict=True):
            for column in _as_bits(_pick_values(field, numbers, positions)).T:
                keys = (keys ^ (keys >> np.uint64(29)) ^ column) * ODD
        return keys

    def find_telling(self, fields: Sequence[Array], numbers: Array) -> Array:
        """Which of these samples hold more than one value repeated, or a text of some length."""
        found = np.zeros(len(numbers), bool)
        for field, positions in zip(fields, self._positions, strict=True):
            picked = _pick_values(field, numbers, positions)
            if holds_objects(field):
                found |= [any(_is_long(value) for value in row) for row in picked.tolist()]
                continue
            found |= (picked != picked[:, :1]).any(axis=1)
            # Only where the few values are all equal, the whole sample is read.
            for place in np.flatnonzero(~found):
                sample = field[numbers[place]]
                found[place] = bool((sample != sample.flat[0]).any()) if sample.size else False
        return found


def digest(fields: Sequence[Array], number: int, dtypes: Sequence[np.dtype[Any]]) -> int:
    """One number for all values of a sample, the same for equal samples once they have `dtypes`."""
    parts: list[Any] = []
    for field, dtype in zip(fields, dtypes, strict=True):
        sample = np.asarray(in_numpy(field[number : number + 1]))
        if holds_objects(field):
            parts.extend(map(str, sample.reshape(-1).tolist()))
        else:
            values = sample.astype(dtype)
            parts.append((values + dtype.type(0) if dtype.kind in "fc" else values).tobytes())
    return hash(tuple(parts))


def _telling_positions(field: Array, numbers: Array) -> Array:
    """The positions in a sample, as flat numbers, that have the most different values."""
    size = math.prod(field.shape[1:])
    tried = np.unique(np.linspace(0, size - 1, min(size, MOST_TRIED)).astype(np.intp))
    values = np.sort(_as_bits(_pick_values(field, numbers, tried)), axis=0)
    different = np.count_nonzero(values[1:] != values[:-1], axis=0)
    best: Array = tried[np.argsort(-different, kind="stable")[:POSITIONS]]
    return best


def _pick_values(field: Array, numbers: Array, positions: Array) -> Array:
    """The values at flat positions of some samples."""
    if field.ndim == 1:
        return field[numbers][:, np.newaxis]
    axes = np.unravel_index(positions, field.shape[1:])
    picked: Array = field[(numbers[:, np.newaxis], *axes)]
    return picked


def _as_bits(values: Array) -> Array:
    """64 bits for each value, equal for equal values of whatever dtype."""
    values = in_numpy(values)
    if is_number(values.dtype):
        # Adding 0.0 makes 0.0 of -0.0.
        return (values.astype(np.float64) + 0.0).view(np.uint64)
    hashes = [hash(str(value)) for value in values.reshape(-1).tolist()]
    return np.array(hashes, np.int64).view(np.uint64).reshape(values.shape)


def _is_long(value: object) -> bool:
    text = value if isinstance(value, str | bytes) else str(value)
    return len(text) >= SHORTEST_TEXT
