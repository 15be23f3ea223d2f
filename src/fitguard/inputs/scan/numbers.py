"""The range of numbers, and the nans, the infinities and the values beyond what is allowed."""

import math
from threading import Lock
from typing import Any

import numpy as np

from fitguard.inputs.scan.close_look import CloseLook, Rows
from fitguard.inputs.scan.extremes import Order, Range, order
from fitguard.inputs.scan.pieces import Array, pieces
from fitguard.inputs.scan.spots import Spots

Limits = tuple[float | None, float | None]


class NumberScan:
    """What is gathered of the numbers of a field; several threads may add to it.

    Almost all pieces are healthy: their lowest and highest value say so. Only the others are
    looked at value by value.

    Args:
        allowed: The lowest and the highest value that are allowed; None: no limit.
        ignored: A value that is allowed wherever it lies.
    """

    def __init__(self, allowed: Limits, ignored: float | None = None) -> None:
        self.nans = Spots()
        self.infinities = Spots()
        self.outside = Spots()
        self._allowed = allowed
        self._ignored = ignored
        self._low: Any = None
        self._high: Any = None
        self._lock = Lock()

    def add(
        self, block: Array, first_sample: int, batch: int | None, rows: Rows | None = None
    ) -> None:
        """Look at a block; text and objects are passed over."""
        look = CloseLook(block, first_sample, batch, rows)
        by = order(block.dtype)
        if by is not None:
            self._add_ordered(block, by, look)
        elif block.dtype.kind in "cmM":
            for piece, origin in pieces(block):
                if not np.isfinite(piece).all():
                    look.not_finite(piece, origin, self.nans, self.infinities)

    def range(self) -> tuple[float | None, float | None]:
        """The lowest and the highest finite value seen."""
        if self._low is None:
            return None, None
        return float(self._low), float(self._high)

    def _add_ordered(self, block: Array, by: Order, look: CloseLook) -> None:
        least, most = _limits(self._allowed, block.dtype)
        least_key, most_key = (None if limit is None else by.key(limit) for limit in (least, most))
        low: Any = None
        high: Any = None
        zero_seen = self._low is not None and self._low <= 0
        for piece, origin in pieces(by.prepare(block)):
            found = by.read(piece, zero_seen or (low is not None and low <= 0))
            if found is None:
                values = piece.view(block.dtype)
                rest = look.not_finite(values, origin, self.nans, self.infinities)
                found = by.read(by.prepare(rest), False) if rest.size else None
            if found is None:
                continue
            if low is None or found[0] < low:
                low = found[0]
            if high is None or found[1] > high:
                high = found[1]
            if _is_beyond(found, least_key, most_key):
                values = piece.view(block.dtype)
                look.outside(values, origin, (least, most, self._ignored), self.outside)
        if low is not None:
            self._widen(by.value(low), by.value(high))

    def _widen(self, low: Any, high: Any) -> None:
        with self._lock:
            self._low = low if self._low is None else min(self._low, low)
            self._high = high if self._high is None else max(self._high, high)


def _is_beyond(found: Range, least: Any, most: Any) -> bool:
    return (least is not None and found[0] < least) or (most is not None and found[1] > most)


def _limits(allowed: Limits, dtype: np.dtype[Any]) -> Limits:
    """The limits as the dtype can write them.

    For whole numbers they are whole numbers, so that no large one is rounded in a comparison. For
    floats they are rounded as the values themselves were: 0.1 in float32 lies above 0.1.
    """
    low, high = (None if bound is None or math.isinf(bound) else bound for bound in allowed)
    if dtype.kind in "biu":
        return None if low is None else math.ceil(low), None if high is None else math.floor(high)
    low, high = (None if bound is None else _round_bound(bound, dtype) for bound in (low, high))
    return low, high


def _round_bound(bound: float, dtype: np.dtype[Any]) -> float:
    try:
        with np.errstate(over="ignore"):
            return float(dtype.type(bound))
    except OverflowError:  # int4 and the like have no room for it
        return float(bound)
