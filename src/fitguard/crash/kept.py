"""What is kept of a log that may be endless: a bounded number of lines, in their order."""

import math
from collections import defaultdict, deque
from typing import NamedTuple

LINES = 30_000
BYTES = 6 << 20
"""Of lines that stand around a hit."""
HITS = 10_000
HIT_BYTES = 2 << 20
"""So many hits more, and bytes of them."""
ALWAYS = 3
"""So many hits of each kind are kept whatever has been kept before."""
LAST = 10
REFUSED = 1000
"""After so many in a row there is no room for any other."""


class Piece(NamedTuple):
    """A line of the log as it stands there, or a part of one.

    Args:
        offset: In the stream.
        number: Of the line.
    """

    offset: int
    number: int
    raw: bytes

    def is_around(self, offset: int, margin: int) -> bool:
        """Whether that place is in it, and its beginning not further away."""
        return offset - margin < self.offset <= offset < self.offset + len(self.raw)


class Kept:
    """The pieces that were kept, each once."""

    def __init__(self) -> None:
        self._pieces: dict[int, Piece] = {}
        self._late: defaultdict[int, deque[Piece]] = defaultdict(lambda: deque(maxlen=LAST))
        self._size = 0
        self._lines_refused = self._hits_refused = 0

    @property
    def takes_lines(self) -> bool:
        """Whether there may be room for lines that stand around a hit."""
        return self._lines_refused < REFUSED

    @property
    def takes_hits(self) -> bool:
        """Whether there may be room for hits that are not the first of their kind."""
        return self._hits_refused < REFUSED

    @property
    def has_room(self) -> bool:
        """Whether what is kept may be long."""
        return self._size < BYTES

    def line(self, piece: Piece) -> None:
        """Keep a line that stands near a hit, or at an end of the log, if there is room."""
        kept = self._add(piece, LINES, BYTES)
        self._lines_refused = 0 if kept else self._lines_refused + 1

    def hit(self, piece: Piece, nth: int) -> bool:
        """Keep a line that was looked for; whether there was room.

        Args:
            nth: How many of its kind there were, it included.
        """
        if nth <= ALWAYS:
            return self._add(piece)
        kept = self._add(piece, LINES + HITS, BYTES + HIT_BYTES)
        self._hits_refused = 0 if kept else self._hits_refused + 1
        return kept

    def late_hit(self, piece: Piece, kind: int) -> None:
        """Keep a line that was looked for until newer ones of its kind come."""
        self._late[kind].append(piece)

    def pieces(self) -> list[Piece]:
        """All of them, in the order of the log."""
        late = {piece.offset: piece for pieces in self._late.values() for piece in pieces}
        return sorted((late | self._pieces).values())

    def _add(self, piece: Piece, most: float = math.inf, most_bytes: float = math.inf) -> bool:
        if piece.offset in self._pieces:
            return True
        if len(self._pieces) >= most or self._size + len(piece.raw) > most_bytes:
            return False
        self._pieces[piece.offset] = piece
        self._size += len(piece.raw)
        return True
