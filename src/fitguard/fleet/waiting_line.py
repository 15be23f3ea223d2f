"""Who comes first of those that wait.

Higher priority first. Among equals, those who came in the same *generation* are sorted by weight,
the heaviest first, because light ones find a place later as well; equal weights in the order in
which they came. The weight is what a training will have of the cards: memory times the time that it
takes, where that is known. A generation ends after so many starts, and everyone of it comes before
the next one: so a light training cannot be overtaken by ever more heavy ones.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from math import log2
from operator import itemgetter

from fitguard.fleet.requests import CardId, Request

_GENERATION = 1000
"""Starts after which a new generation begins."""
_WHOLE_CARD_BYTES = 2**63
"""Stands before all sizes."""
_STEPS = 4
"""Classes of time from one to twice as long: expectations are no more exact than that."""

Order = tuple[int, int, float, int]
"""Priority (the highest first), generation, weight (the heaviest first), number."""

_Entry = tuple[int, int, Request]
"""Size (negative: the largest first), number and request."""
_Key = tuple[tuple[int, int], frozenset[str], int, bool, str, int | None]
"""Level, names of cards, workers, whole card, its name where it is alone, class of time."""


def size_of(request: Request) -> int:
    """What it is sorted by."""
    return _WHOLE_CARD_BYTES if request.whole_card else request.memory_bytes


def classify(takes_seconds: float | None) -> int | None:
    """The class of a time: what takes about as long has the same."""
    return None if takes_seconds is None else round(_STEPS * log2(max(takes_seconds, 1.0)))


class Group:
    """Requests of the same priority and generation that want the same kind and number of cards.

    All of them take about as long, so that the largest is the heaviest.

    Args:
        entries: Of all of them, sorted.
    """

    __slots__ = (
        *("key", "level", "patterns", "workers", "whole_card", "avoid", "times", "entries"),
        *("seen", "names", "limit_bytes", "avoided"),
    )

    def __init__(self, key: _Key, like: Request) -> None:
        self.level = key[0]
        self.patterns = like.cards
        self.workers = like.workers
        self.whole_card = like.whole_card
        self.avoid = like.avoid
        self.set_key(key)
        self.entries: list[_Entry] = []
        # What the packer knows of them, for the cards that are there.
        self.seen = -1
        self.names: tuple[str, ...] = ()
        self.limit_bytes = -1
        self.avoided: frozenset[CardId] = frozenset()

    def set_key(self, key: _Key) -> None:
        """All of them take about so long."""
        self.key = key
        self.times = 2.0 ** ((key[-1] or 0) / _STEPS)

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
        return self.weigh(size, number)

    def weigh(self, size: int, number: int) -> Order:
        """Where one of this size (negative) and number stands in the line."""
        return (*self.level, size * self.times, number)


class WaitingLine:
    """All that wait, in groups.

    Whoever comes again, after a preemption or the loss of a node, gets the place that it had.
    """

    def __init__(self, generation: int = _GENERATION) -> None:
        self.starts = 0
        self._generation = generation
        self._groups: dict[_Key, Group] = {}
        self._levels: dict[tuple[int, int], list[Group]] = {}
        self._sorted_levels: list[tuple[int, int]] = []
        self._of: dict[str, tuple[Group, _Entry]] = {}
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
        kind = (frozenset(request.cards), request.workers, request.whole_card, alone)
        key = (level, *kind, classify(request.takes_seconds))
        group = self._find_or_make(key, request)
        entry = (-size_of(request), number, request)
        insort(group.entries, entry)
        self._of[request.name] = (group, entry)

    def remove(self, name: str) -> Request:
        """It waits no longer."""
        group, entry = self._of.pop(name)
        del group.entries[bisect_left(group.entries, entry[:2])]
        self._drop_empty(group)
        return entry[2]

    def retime(self, takes_seconds: Mapping[str, float | None]) -> None:
        """Those of these names that wait take so long: all that moves, moves at once."""
        classes = {seconds: classify(seconds) for seconds in set(takes_seconds.values())}
        times = {name: classes[seconds] for name, seconds in takes_seconds.items()}
        for group in self.groups():
            key, own = group.key, group.key[-1]
            found = [times.get(entry[2].name, own) for entry in group.entries]
            new = {time: (*key[:-1], time) for time in set(found) if time != own}
            if not new:
                continue
            if len(new) == len(set(found)) == 1 and not self._groups.keys() & new.values():
                self._rename(group, *new.values())
                continue
            entries = list(zip(found, group.entries, strict=True))
            for time, other in new.items():
                self._add_all(other, [entry for its, entry in entries if its == time])
            group.entries = [entry for its, entry in entries if its == own]
            self._drop_empty(group)

    def find_group(self, name: str) -> Group:
        """The group of one that waits."""
        return self._of[name][0]

    def find_order(self, name: str) -> Order:
        """Where it stands in the line."""
        group, (size, number, _) = self._of[name]
        return group.weigh(size, number)

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

    def _find_or_make(self, key: _Key, like: Request) -> Group:
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = Group(key, like)
            if group.level not in self._levels:
                insort(self._sorted_levels, group.level)
            self._levels.setdefault(group.level, []).append(group)
        return group

    def _add_all(self, key: _Key, entries: list[_Entry]) -> None:
        group = self._find_or_make(key, entries[0][2])
        group.entries = sorted((*group.entries, *entries), key=itemgetter(0, 1))
        self._of.update((entry[2].name, (group, entry)) for entry in entries)

    def _rename(self, group: Group, key: _Key) -> None:
        self._groups[key] = self._groups.pop(group.key)
        group.set_key(key)

    def _drop_empty(self, group: Group) -> None:
        if group.entries:
            return
        del self._groups[group.key]
        self._levels[group.level].remove(group)
        if not self._levels[group.level]:
            del self._levels[group.level]
            del self._sorted_levels[bisect_left(self._sorted_levels, group.level)]
