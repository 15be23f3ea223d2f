"""Goes through a log once and keeps what matters: hits, what stands around them, both ends."""

import re

from fitguard.crash.engine import Engine
from fitguard.crash.hits import FIRST, Hit, Hits
from fitguard.crash.kept import ALWAYS, Kept, Piece
from fitguard.crash.windows import MARGIN, Window

SAMPLE, SAMPLE_LINES = 1024, 20
"""Where so many bytes have more ends of lines than that, lines are short."""
HEAD = TAIL = 200
TAIL_BYTES = 64 * 1024
BEFORE, AFTER = 3, 15
WITH_NEIGHBOURS = 40
"""So many hits of one kind are kept with the lines around them."""
LONGEST = 2 * MARGIN
SHORT_MARGIN = 256
"""Around hits in long lines, where there are very many of them."""
DUMP_LINES = 20_000

# TensorFlow's allocator lists every block it has when it runs out of memory.
DUMP = re.compile(rb"bfc_allocator\.cc|(?:InUse|Free|Chunk) +at |Chunks? of size \d|Bin \(\d+\): ")


class LineNumbers:
    """Goes along the lines with those who ask, and counts each of them about once.

    Args:
        first: The number of the line at the window's start.
    """

    def __init__(self, window: Window, first: int) -> None:
        self._data = window.data
        self._offset = window.start
        self._number = first

    def at(self, offset: int) -> int:
        """The number of the line at that offset; it may lie a little outside of the zone."""
        if offset >= self._offset:
            self._number += _count_line_ends(self._data, self._offset, offset)
        else:
            self._number -= _count_line_ends(self._data, offset, self._offset)
        self._offset = offset
        return self._number


def _count_line_ends(data: bytearray, start: int, stop: int) -> int:
    """Where lines are long, leap from end to end: `count` looks at each byte."""
    if stop - start < SAMPLE or data.count(b"\n", start, start + SAMPLE) > SAMPLE_LINES:
        return data.count(b"\n", start, stop)
    part = data[start:stop]
    return len(part) - len(part.replace(b"\n", b""))


class Sieve:
    """Takes windows one after the other.

    Args:
        engine: Finds the hits.
    """

    def __init__(self, engine: Engine) -> None:
        self.kept = Kept()
        self._hits = Hits(engine)
        self._cursor = 0
        self._number = 1
        self._going_on = HEAD  # so many lines are kept from the cursor on
        self._dump_left = DUMP_LINES
        self._covered = 0
        self._before = -1  # where the line begins whose neighbours were kept last
        self._late: Piece | None = None  # the late hit that was kept last, if it is whole
        self._ending = b""

    @property
    def line_count(self) -> int:
        """How many lines there were; the last one need not have an end."""
        return self._number - (not self._ending or self._ending.endswith(b"\n"))

    def take(self, window: Window) -> None:
        """Keep what matters in this window's zone."""
        numbers = LineNumbers(window, self._number)
        for hit in self._hits.within(window, FIRST if self.kept.takes_hits else ALWAYS):
            self._keep_hit(window, numbers, hit)
        self._walk(window, numbers, window.stop)
        self._number = numbers.at(window.stop)
        zone = window.data[max(window.start, window.stop - TAIL_BYTES) : window.stop]
        self._ending = (self._ending + zone)[-TAIL_BYTES:]

    def finish(self) -> None:
        """Keep the last lines."""
        end, number = self._cursor, self._number
        lines = self._ending.split(b"\n")
        # The first one is not whole, unless the log is that short.
        skipped = len(lines) > 1 and self._cursor > len(self._ending)
        for line in reversed(lines[skipped:][-TAIL - 1 :]):
            start = end - len(line)
            self._keep_line(line, start, number)
            end, number = start - 1, number - 1

    def _keep_hit(self, window: Window, numbers: LineNumbers, hit: Hit) -> None:
        with_neighbours = 0 < hit.nth <= WITH_NEIGHBOURS and self.kept.takes_lines
        covered = window.base + hit.end <= self._covered
        if covered and not with_neighbours:
            return
        data, last = window.data, hit.end - 1
        if not hit.nth and self._late and self._late.is_around(window.base + last, SHORT_MARGIN):
            self.kept.late_hit(self._late, hit.kind)
            return
        margin = MARGIN if hit.nth and self.kept.has_room else SHORT_MARGIN
        lowest, highest = max(0, last - margin), min(window.filled, last + margin)
        line = data.rfind(b"\n", lowest, last) + 1 or lowest
        self._walk(window, numbers, line)
        number = numbers.at(line)
        if with_neighbours:
            self._keep_before(window, line, number)
            self._going_on = max(self._going_on, AFTER + 1)  # the rest of this line is one
        if covered:
            return
        start = data.rfind(b"\r", line, last) + 1 or line
        stop = _segment_end(data, hit.end, highest)
        piece = Piece(window.base + start, number, bytes(data[start:stop]))
        self._cursor = max(self._cursor, window.base + stop)
        if self._going_on:
            self._follow_dump(piece.raw)
        if not hit.nth:
            self.kept.late_hit(piece, hit.kind)
            self._late = piece if lowest < start and stop < highest else None
        elif self.kept.hit(piece, hit.nth):
            # What was cut off may say more about a later hit.
            self._covered = window.base + (stop if stop < highest else stop - margin // 4)

    def _keep_before(self, window: Window, line: int, number: int) -> None:
        data, end = window.data, line - 1
        if self._before == window.base + line:
            return
        self._before = window.base + line
        for back in range(1, BEFORE + 1):
            if end <= 0 or data[end] != ord("\n"):
                return
            lowest = max(0, end - MARGIN)
            start = data.rfind(b"\n", lowest, end) + 1
            if start == 0 and window.base + lowest > 0:
                return
            self._keep_line(data[start:end], window.base + start, number - back)
            end = start - 1

    def _walk(self, window: Window, numbers: LineNumbers, stop: int) -> None:
        """Move the cursor up to there; keep the lines that are to be kept."""
        if not (self._going_on and self.kept.takes_lines):
            self._going_on = 0
            self._cursor = max(self._cursor, window.base + stop)
            return
        data, cursor = window.data, self._cursor - window.base
        number = numbers.at(cursor) if cursor < stop else 0
        while self._going_on and cursor < stop:
            end = data.find(b"\n", cursor, stop) + 1 or stop
            raw = data[max(cursor, end - LONGEST) : end]
            self._keep_line(raw, window.base + end - len(raw), number)
            self._going_on -= 1
            if self._going_on:
                self._follow_dump(raw)
            cursor, number = end, number + raw.endswith(b"\n")
        self._cursor = window.base + max(cursor, stop)

    def _follow_dump(self, raw: bytes | bytearray) -> None:
        """A dump that has begun is kept whole."""
        if self._dump_left and DUMP.search(raw):
            self._dump_left -= 1
            self._going_on = max(self._going_on, AFTER)

    def _keep_line(self, raw: bytes | bytearray, offset: int, number: int) -> None:
        """Of a line that was overwritten, what was seen last."""
        cut = max(0, len(raw) - LONGEST)
        seen = raw[cut:].rstrip(b"\r\n")
        start = seen.rfind(b"\r") + 1
        if shown := bytes(seen[start:]):
            self.kept.line(Piece(offset + cut + start, number, shown))


def _segment_end(data: bytearray, start: int, stop: int) -> int:
    line = data.find(b"\n", start, stop)
    end = stop if line < 0 else line
    overwritten = data.find(b"\r", start, end)
    return end if overwritten < 0 else overwritten
