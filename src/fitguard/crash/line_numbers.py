"""Which line is at an offset of a window."""

from bisect import bisect_right
from itertools import accumulate

from fitguard.crash.windows import Window

STEP = 16 * 1024


class LineNumbers:
    """Counts the ends of lines once; then it answers without counting much again.

    Args:
        first: The number of the line at the window's start.
    """

    def __init__(self, window: Window, first: int) -> None:
        self._data = window.data
        self._starts = range(window.start, max(window.stop, window.start + 1), STEP)
        ends = (
            window.data.count(b"\n", start, min(start + STEP, window.stop))
            for start in self._starts
        )
        self._numbers = list(accumulate(ends, initial=first))
        self.last = self._numbers[-1]

    def at(self, offset: int) -> int:
        """The number of the line at that offset; it may lie a little outside of the zone."""
        index = max(0, bisect_right(self._starts, offset) - 1)
        start = self._starts[index]
        if offset < start:
            return self._numbers[index] - self._data.count(b"\n", offset, start)
        return self._numbers[index] + self._data.count(b"\n", start, offset)
