"""Which hits count: of each kind the first ones in a log and the last, however many there are."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from fitguard.crash.engine import Engine
from fitguard.crash.kept import LAST
from fitguard.crash.windows import Window

FIRST = 200


class Hit(NamedTuple):
    """Where a literal ends, in the buffer of a window.

    Args:
        kind: The number of the literal.
        nth: How many of its kind there were, it included; 0 for a late one, which counts until
            newer ones come.
    """

    end: int
    kind: int
    nth: int


class Hits:
    """Takes windows one after the other."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._seen: Counter[int] = Counter()

    def within(self, window: Window) -> list[Hit]:
        """Those in the window's zone, in their order.

        A kind that has been seen often enough is no longer counted: in a log of gigabytes, that
        would take longer than all the rest.
        """
        begin = max(0, window.start - self._engine.longest)
        view = memoryview(window.data)[begin : window.stop]
        present = self._engine.present(view)
        fresh = {kind for kind in present if self._seen[kind] < FIRST}
        ends: dict[int, list[int]] = defaultdict(list)
        for kind, end in self._engine.find(view, fresh) if fresh else ():
            if begin + end > window.start:
                ends[kind].append(begin + end)
        found = [hit for kind in ends for hit in self._early(kind, ends[kind])]
        found += [hit for kind in present - fresh for hit in self._late(kind, window, begin)]
        return sorted(found)

    def _early(self, kind: int, ends: list[int]) -> Iterator[Hit]:
        seen, self._seen[kind] = self._seen[kind], self._seen[kind] + len(ends)
        for nth, end in enumerate(ends[: FIRST - seen], seen + 1):
            yield Hit(end, kind, nth)
        for end in ends[FIRST - seen :][-LAST:]:
            yield Hit(end, kind, 0)

    def _late(self, kind: int, window: Window, begin: int) -> Iterator[Hit]:
        """The last one here; the literal is common, so it is not far from the end."""
        ends = (
            start + len(text)
            for text in self._engine.spellings[kind]
            if (start := window.data.rfind(text, begin, window.stop)) >= 0
        )
        end = max(ends, default=0)
        if end > window.start:
            yield Hit(end, kind, 0)
