"""A stream of any length, seen through one buffer of fixed size."""

from collections.abc import Iterator
from typing import NamedTuple

from fitguard.crash.streams import Stream, fill

SIZE = 1 << 20
MARGIN = 4096
"""What stays in sight around the zone: lines before it, the rest of a line that is cut."""
REACH = 64 * 1024
"""So far from its end a window is cut to have whole lines."""


class Window(NamedTuple):
    """A part of the stream. The buffer is used again: take copies.

    The zones of all windows, one after the other, are the stream; what stands around the zone can
    be seen, but belongs to a neighbour.

    Args:
        data: The buffer.
        base: Where the buffer begins, in the stream.
        start: Where the zone begins, in the buffer.
        stop: Where it ends.
        filled: How far the buffer is filled.
    """

    data: bytearray
    base: int
    start: int
    stop: int
    filled: int


def windows(stream: Stream) -> Iterator[Window]:
    """The whole stream. A zone ends with a line, or with a segment of an overwritten one.

    Only in a line longer than `REACH` it ends anywhere, with a margin in sight behind it.
    """
    data = bytearray(SIZE)
    view = memoryview(data)
    base = start = filled = 0
    while True:
        filled += fill(stream, view[filled:])
        ended = filled < SIZE
        stop = filled if ended else _find_cut(data, start)
        yield Window(data, base, start, stop, filled)
        if ended:
            return
        kept = max(0, stop - MARGIN)
        view[: filled - kept] = view[kept:filled]
        base, start, filled = base + kept, stop - kept, filled - kept


def _find_cut(data: bytearray, start: int) -> int:
    lowest = max(start + 1, len(data) - REACH)
    # A carriage return at the very end may be the first half of a line's end.
    found = data.rfind(b"\n", lowest) + 1 or data.rfind(b"\r", lowest, len(data) - 1) + 1
    return found or len(data) - MARGIN
