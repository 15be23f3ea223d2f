"""From values to heights: of a metric, and of memory."""

import math
from collections.abc import Iterator

from fitguard.report.charts.line_chart import BOTTOM, TOP, Mark, round_step
from fitguard.report.charts.shapes import LEFT, RIGHT
from fitguard.words import size, unit_of

LARGEST_RATIO = 50
"""A value that falls further than this would lie flat on the ground for most of its way."""


FARTHEST_LIMIT = 2.0
"""A limit of more than so many times the highest value would press the rest flat."""


class MetricScale:
    """Even, or logarithmic where the values span powers of ten.

    Args:
        lowest, highest: Of the values that are numbers.
    """

    def __init__(self, lowest: float, highest: float) -> None:
        self.logarithmic = lowest > 0 and highest > LARGEST_RATIO * lowest
        low, high = self._measure(lowest), self._measure(highest)
        room = (high - low) * 0.05 or abs(high) * 0.1 or 1.0
        self._low, self._high = low - room, high + room

    def y(self, value: float) -> float:
        """The height of a value; one that the scale does not hold goes to its ground."""
        if self.logarithmic and value <= 0:
            return BOTTOM
        share = (self._measure(value) - self._low) / (self._high - self._low)
        return round(BOTTOM - (BOTTOM - TOP) * min(max(share, 0.0), 1.0), 1)

    def ticks(self) -> Iterator[Mark]:
        """Round numbers."""
        for value in self._powers() if self.logarithmic else self._steps():
            yield Mark(LEFT, self.y(value), f"{value:.6g}")

    def _measure(self, value: float) -> float:
        return math.log10(value) if self.logarithmic else value

    def _steps(self) -> Iterator[float]:
        step = round_step(self._high - self._low)
        for number in range(math.ceil(self._low / step), math.floor(self._high / step) + 1):
            yield number * step

    def _powers(self) -> Iterator[float]:
        """Every power of ten, or every second, third …"""
        first, last = math.ceil(self._low), math.floor(self._high)
        every = max(-(-(last - first) // 6), 1)
        for power in range(first, last + 1, every):
            yield 10.0**power


class ByteScale:
    """From zero up.

    Args:
        highest: Of what is drawn.
        limit: What must not be passed; where it is far above the rest, it is not drawn but said.
    """

    def __init__(self, highest: int, limit: int | None, bottom: float = BOTTOM) -> None:
        self._limit = limit or None
        self._near = limit is not None and 0 < limit <= FARTHEST_LIMIT * highest
        self._top = max(highest, limit or 0 if self._near else 0, 1) * 1.06
        self._bottom = bottom

    def y(self, held: float) -> float:
        """The height of a number of bytes."""
        return round(self._bottom - (self._bottom - TOP) * held / self._top, 1)

    def ticks(self) -> Iterator[Mark]:
        """Round numbers of one unit from the ground up, a handful of them, at the left edge."""
        unit, factor = unit_of(int(self._top))
        whole = self._top / factor
        step = round_step(whole)
        for number in range(int(whole / step) + 1):
            yield Mark(LEFT, self.y(number * step * factor), f"{number * step:g} {unit}")

    def limit(self, name: str) -> Mark | None:
        """The limit, if it is in the picture."""
        if self._limit is None or not self._near:
            return None
        return Mark(RIGHT, self.y(self._limit), f"{name}: {size(self._limit)}", "end")

    def note(self, who_has: str) -> str:
        """On a limit that is not in the picture."""
        if self._limit is None or self._near:
            return ""
        return f"{who_has} {size(self._limit)}, far above this chart."
