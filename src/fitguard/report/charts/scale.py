"""The scale of a metric: even, or logarithmic where the values span powers of ten."""

import math
from collections.abc import Iterator

from fitguard.report.charts.line_chart import BOTTOM, TOP, Mark, round_step
from fitguard.report.charts.shapes import LEFT

LARGEST_RATIO = 50
"""A value that falls further than this would lie flat on the ground for most of its way."""


class MetricScale:
    """From values to heights.

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
