"""Which hits count: of each kind the first ones in a log and the last, however many there are."""

from collections import Counter, defaultdict
from typing import NamedTuple

from fitguard.crash.engine import Engine
from fitguard.crash.kept import LAST
from fitguard.crash.windows import Window

FIRST = 200
DENSE = 200
"""With so many of a kind in a window, the last one is near its end: to look for it is quicker."""
SPARE = 50_000
"""So many hits that do not count cost as much time as to tell the engine of common literals."""


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
        self._spare: Counter[int] = Counter()
        self._common: frozenset[int] = frozenset()

    def within(self, window: Window, most: int = FIRST) -> list[Hit]:
        """Those in the window's zone, in their order.

        Args:
            most: So many of the first of a kind are asked for.
        """
        begin = max(0, window.start - self._engine.longest)
        ends: dict[int, list[int]] = defaultdict(list)
        with memoryview(window.data)[begin : window.stop] as view:
            for kind, end in self._engine.find(view, self._common):
                if begin + end > window.start:
                    ends[kind].append(begin + end)
        found: list[Hit] = []
        for kind, places in ends.items():
            seen = self._seen[kind]
            self._seen[kind] += len(places)
            if seen < most:
                first = enumerate(places[: most - seen], seen + 1)
                found += [Hit(end, kind, nth) for nth, end in first]
            if seen + len(places) > FIRST:
                found += self._choose_late(kind, places, seen)
        self._look_less()
        return sorted(found)

    def _choose_late(self, kind: int, places: list[int], seen: int) -> list[Hit]:
        late = places[FIRST - seen :] if seen < FIRST else places
        last = late[-LAST:] if seen < FIRST else late[-1:]
        if len(late) > DENSE:
            self._spare[kind] += len(late)
        return [Hit(end, kind, 0) for end in last]

    def _look_less(self) -> None:
        """In a log of gigabytes, to find all of what is common would take longer than the rest."""
        if self._spare and self._spare.total() > SPARE:
            self._common = self._common.union(self._spare)
            self._spare.clear()
