"""Who comes first of those that wait.

Higher priority first. Among equals, those who came in the same *generation* are sorted by size, the
largest first, because small ones find a place later as well; equal sizes in the order in which they
came. A generation ends after so many starts, and everyone of it comes before the next one: so a
small training cannot be overtaken by ever more large ones.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator

from fitguard.fleet.requests import CardId, Request

_GENERATION = 1000
"""Starts after which a new generation begins."""
_WHOLE_CARD_BYTES = 2**63
"""Stands before all sizes."""

Order = tuple[int, int, int, int]
"""Priority (the highest first), generation, size (the largest first), number."""


def size_of(request: Request) -> int:
    """What it is sorted by."""
    return _WHOLE_CARD_BYTES if request.whole_card else request.memory_bytes


class Group:
    """Requests of the same priority and generation that want the same kind and number of cards.

    Args:
        entries: Size (negative: the largest first), number and request, sorted.
    """

    def __init__(self, level: tuple[int, int], like: Request) -> None:
        self.level = level
        self.patterns = like.cards
        self.workers = like.workers
        self.whole_card = like.whole_card
        self.avoid = like.avoid
        self.entries: list[tuple[int, int, Request]] = []
        # What the packer knows of them, for the cards that are there.
        self.seen = -1
        self.names: tuple[str, ...] = ()
        self.limit_bytes = -1
        self.avoided: frozenset[CardId] = frozenset()

    @property
    def smallest_bytes(self) -> int:
        """What the smallest of them needs."""
        return -self.entries[-1][0]

    def find_within(self, room_bytes: int) -> int:
        """Index of the first, which is the largest, that needs no more than this."""
        return bisect_left(self.entries, (-room_bytes,))

    def order_at(self, index: int) -> Order:
        """Where the one with this index stands in the line."""
        size, number, _ = self.entries[index]
        return (*self.level, size, number)


class WaitingLine:
    """All that wait, in groups.

    Whoever comes again, after a preemption or the loss of a node, gets the place that it had.
    """

    def __init__(self, generation: int = _GENERATION) -> None:
        self.starts = 0
        self._generation = generation
        self._groups: dict[object, Group] = {}
        self._levels: dict[tuple[int, int], list[Group]] = {}
        self._sorted_levels: list[tuple[int, int]] = []
        self._of: dict[str, tuple[object, tuple[int, int, Request]]] = {}
        self._numbers: dict[str, tuple[int, int]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._of

    def __len__(self) -> int:
        return len(self._of)

    def __iter__(self) -> Iterator[Request]:
        return (entry[2] for _, entry in self._of.values())

    def add(self, request: Request) -> None:
        """It waits from now on."""
        own = (self.starts // self._generation, len(self._numbers))
        generation, number = self._numbers.setdefault(request.name, own)
        level = (-request.priority, generation)
        # Those that avoid cards are few; each has a group of its own.
        alone = request.name if request.avoid else ""
        key = (level, frozenset(request.cards), request.workers, request.whole_card, alone)
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(level, request)
            if level not in self._levels:
                insort(self._sorted_levels, level)
            self._levels.setdefault(level, []).append(group)
        entry = (-size_of(request), number, request)
        insort(group.entries, entry)
        self._of[request.name] = (key, entry)

    def remove(self, name: str) -> Request:
        """It waits no longer."""
        key, entry = self._of.pop(name)
        group = self._groups[key]
        del group.entries[bisect_left(group.entries, entry[:2])]
        if not group.entries:
            del self._groups[key]
            self._levels[group.level].remove(group)
            if not self._levels[group.level]:
                del self._levels[group.level]
                del self._sorted_levels[bisect_left(self._sorted_levels, group.level)]
        return entry[2]

    def find_group(self, name: str) -> Group:
        """The group of one that waits."""
        return self._groups[self._of[name][0]]

    def find_order(self, name: str) -> Order:
        """Where it stands in the line."""
        key, (size, number, _) = self._of[name]
        return (*self._groups[key].level, size, number)

    def groups(self) -> list[Group]:
        """All groups, in no order."""
        return list(self._groups.values())

    def levels(self) -> Iterator[list[Group]]:
        """The groups of each priority and generation, in order; some may go meanwhile."""
        for level in list(self._sorted_levels):
            if level in self._levels:
                yield self._levels[level]

    def get(self, name: str) -> Request:
        """What it asks for."""
        return self._of[name][1][2]
