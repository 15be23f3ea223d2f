"""Cards by what is free of them: sorted by size for each name of a card, so that no question has to
look at all of them.
"""

import heapq
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Set
from fnmatch import fnmatchcase

from fitguard.fleet.requests import CardId


class CardRoom:
    """So many bytes on each card.

    A question names the names of the cards that it may be, and cards to avoid.
    """

    def __init__(self) -> None:
        self._by_name: dict[str, list[tuple[int, CardId]]] = {}
        self._of: dict[CardId, tuple[str, int]] = {}

    def set(self, card: CardId, name: str, room_bytes: int) -> None:
        """There is a card with so much room, whatever it had before."""
        if self._of.get(card) == (name, room_bytes):
            return
        self.drop(card)
        self._of[card] = (name, room_bytes)
        insort(self._by_name.setdefault(name, []), (room_bytes, card))

    def drop(self, card: CardId) -> None:
        """There is no such card any more."""
        if card not in self._of:
            return
        name, room_bytes = self._of.pop(card)
        line = self._by_name[name]
        del line[bisect_left(line, (room_bytes, card))]
        if not line:
            del self._by_name[name]

    def match(self, patterns: Iterable[str]) -> tuple[str, ...]:
        """The names that one of these patterns has; all names where there is no pattern."""
        lower = [pattern.lower() for pattern in patterns]
        return tuple(
            name
            for name in self._by_name
            if not lower or any(fnmatchcase(name.lower(), pattern) for pattern in lower)
        )

    def find_largest(
        self, names: Iterable[str], avoid: Set[CardId] = frozenset()
    ) -> Iterator[tuple[int, CardId]]:
        """Room and card, the most room first."""
        lines = [reversed(self._by_name[name]) for name in names if name in self._by_name]
        merged = lines[0] if len(lines) == 1 else heapq.merge(*lines, reverse=True)
        return (entry for entry in merged if entry[1] not in avoid) if avoid else iter(merged)

    def largest_bytes(self) -> int:
        """The most room of all cards; -1 without cards."""
        return max((line[-1][0] for line in self._by_name.values()), default=-1)

    def measure_room(self, names: Iterable[str], cards: int, avoid: Set[CardId]) -> int:
        """The most that can be had on each of so many cards; -1 where there are not so many."""
        last = cards + len(avoid)
        ends = [entry for name in names for entry in self._by_name.get(name, ())[-last:]]
        rooms = sorted(room_bytes for room_bytes, card in ends if card not in avoid)
        return rooms[-cards] if len(rooms) >= cards else -1

    def fit_best(
        self, names: Iterable[str], room_bytes: int, cards: int, avoid: Set[CardId]
    ) -> tuple[CardId, ...]:
        """So many cards with this much room, and as little more as can be; else none at all."""
        many = cards + len(avoid)
        fitting: list[tuple[int, CardId]] = []
        for name in names:
            line = self._by_name.get(name, [])
            start = bisect_left(line, (room_bytes,))
            fitting += line[start : start + many]
        best = sorted(entry for entry in fitting if entry[1] not in avoid)[:cards]
        return tuple(card for _, card in best) if len(best) == cards else ()
