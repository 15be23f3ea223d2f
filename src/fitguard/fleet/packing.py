"""Which waiting training goes onto which card: pure, no Ray, no clock.

    packer.add_card(card)         a node came: once for each of its cards
    packer.add(request)           a training waits
    packer.place()                ──> those that start now
    packer.release(name)          it has ended, or left
    packer.retime({name: s})      more is known of how long some that wait will train
    packer.remove_card(card)      ──> those that ran there: a node went
    packer.choose_victims(name)   ──> those that have to leave for it
    packer.find_misfits()         ──> those that fit nowhere

The first in line (`waiting_line`) gets the card on which the least is left over. If it finds no
room, cards are held for it (`held_cards`), and the others are tried after it: what is small may
start before it, but does not delay it beyond those who run now.
"""

import heapq
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from fitguard.fleet.occupancy import Occupancy
from fitguard.fleet.preempting import choose_victims
from fitguard.fleet.requests import CardId, Misfit, Placement, Request
from fitguard.fleet.waiting_line import Group, Order, WaitingLine
from fitguard.schema.fleet import FleetCard


class Packer:
    """Waiting trainings, cards, and who is on them.

    Args:
        line: Those that wait; the caller may give one with generations of its own.
    """

    def __init__(self, line: WaitingLine | None = None) -> None:
        self._line = line if line is not None else WaitingLine()
        self._cards = Occupancy()
        self._capacity, self._room = self._cards.capacity, self._cards.room
        self._held = self._cards.held
        self._running: dict[str, tuple[CardId, ...]] = {}
        self._leaving: set[str] = set()
        self._first = ""
        self._version = 0

    # Cards ---------------------------------------------------------------------------------------

    def add_card(self, card: FleetCard) -> None:
        """There is a card, or another word on one that there was: left out, or in use again."""
        self._cards.put(card)
        self._note_change()

    def remove_card(self, key: CardId) -> tuple[str, ...]:
        """The card is gone, if it was there. Those that ran there may be added again."""
        if key not in self._cards:
            return ()
        lost = self._cards.list_tenants(key)
        self._cards.drop_hold_on(key)
        for name in lost:
            self.release(name)
        self._cards.drop(key)
        self._note_change()
        return lost

    def used_bytes(self, key: CardId) -> int:
        """What all trainings on a card may take of it."""
        return self._cards.used_bytes(key)

    def list_tenants(self, key: CardId) -> tuple[str, ...]:
        """The trainings on a card."""
        return self._cards.list_tenants(key)

    def free_bytes(self, key: CardId) -> int:
        """What no training on a card may take of it."""
        return self._cards.free_bytes(key)

    # Trainings -----------------------------------------------------------------------------------

    def add(self, request: Request) -> None:
        """A training waits. One that was here before gets the place in the line that it had.

        Raises:
            ValueError: One of this name waits or runs already.
        """
        if request.name in self._line or request.name in self._running:
            raise ValueError(f"Received {request.name} twice. Expected it to wait or run once.")
        self._line.add(request)

    def retime(self, takes_seconds: Mapping[str, float | None]) -> None:
        """So long will those of these names train that wait."""
        self._line.retime(takes_seconds)

    def remove(self, name: str) -> Request:
        """It waits no longer: it was refused, or nobody wants it any more."""
        self._cards.drop_hold(name)
        return self._line.remove(name)

    def release(self, name: str) -> None:
        """It is off its cards."""
        self._leaving.discard(name)
        self._cards.unseat(name, self._running.pop(name))

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._line)

    def list_waiting(self) -> tuple[Request, ...]:
        """Those that wait, in the order in which they come."""
        return tuple(sorted(self._line, key=lambda request: self._line.find_order(request.name)))

    def find_first(self) -> Request | None:
        """The first in the line that is not too large for all cards; None where there is none."""
        for level in self._line.levels():
            if firsts := self._list_firsts(level):
                _, index, group = min(firsts)
                return group.entries[index][2]
        return None

    def list_running(self) -> tuple[str, ...]:
        """Those that are on cards."""
        return tuple(self._running)

    def holds_for(self, name: str) -> tuple[CardId, ...]:
        """Cards that are held for one that waits."""
        return self._held.cards_of(name)

    # Decisions -----------------------------------------------------------------------------------

    def place(self) -> tuple[Placement, ...]:
        """Those that start now, on which cards, with how much of each."""
        self._forget_old_first()
        # Room that was made for somebody is theirs, whoever came since.
        holders = sorted(self._held.names(), key=self._line.find_order)
        placed = [self._start(self._line.get(name)) for name in holders]
        blocked = False
        for level in self._line.levels():
            found, blocked = self._place_level(level)
            placed += found
            if blocked:
                break
        if blocked:
            placed += self._fill_up()
        return tuple(placement for placement in placed if placement is not None)

    def find_misfits(self) -> tuple[Misfit, ...]:
        """Those that are too large for every card that they may use, or want more than there are.

        They stay in the line, and start as soon as there is a card for them. The caller may remove
        them, or add them again as `whole_card`.
        """
        found = []
        for group in self._line.groups():
            for _, _, request in group.entries[: self._find_first(group)]:
                largest = islice(self._capacity.find_largest(group.names), group.workers - 1, None)
                entry = next(largest, None)
                card = None if entry is None else self._cards.get(entry[1])
                found.append(
                    Misfit(
                        request=request, largest=card, left_out=self._cards.find_left_out(request)
                    )
                )
        return tuple(found)

    def list_offers(self) -> Iterator[tuple[list[Request], int, tuple[int, CardId] | None]]:
        """Those that wait, in groups: the most that cards could ever give, and what is free now."""
        for group in self._line.groups():
            self._refresh(group)
            rooms = self._room.find_largest(group.names, group.avoided)
            roomiest = next(islice(rooms, group.workers - 1, None), None)
            yield [entry[2] for entry in group.entries], group.limit_bytes, roomiest

    def choose_victims(self, name: str) -> tuple[str, ...]:
        """Those that have to leave so that this one, which waits, can start.

        All of them have a lower priority. The cards that they leave are held for it alone. Empty
        where nobody can leave for it, or those who will have been told already.
        """
        request, group = self._line.get(name), self._line.find_group(name)
        self._refresh(group)
        if self._held.is_closed(name):
            return ()
        self._cards.drop_hold(name)
        occupied = (
            self._cards.describe(key, request, self._leaving)
            for _, key in self._capacity.find_largest(group.names, group.avoided)
            if self._is_large_enough(key, request, group) and self._held.get(key) is None
        )
        cards, victims = choose_victims(occupied, request.workers, request.priority)
        self._leaving.update(victims)
        if cards:
            self._cards.hold(request, cards, closed=True)
        return victims

    # Inside --------------------------------------------------------------------------------------

    def _start(self, request: Request) -> Placement | None:
        group = self._line.find_group(request.name)
        self._refresh(group)
        cards = self._find_cards(request, group)
        if not cards:
            return None
        self._cards.drop_hold(request.name)
        self._line.remove(request.name)
        self._line.starts += 1
        taken = {key: self._cards.count_need(request, key) for key in cards}
        self._running[request.name] = cards
        self._cards.seat(request.name, request.priority, taken)
        return Placement(name=request.name, cards=cards, memory_bytes=min(taken.values()))

    def _find_cards(self, request: Request, group: Group) -> tuple[CardId, ...]:
        own = self._held.cards_of(request.name)
        self._cards.lend(own)
        if request.whole_card:
            fitting = (
                key
                for room_bytes, key in self._room.find_largest(group.names, group.avoided)
                if room_bytes == self._cards.get(key).memory_bytes >= group.limit_bytes
            )
            found = tuple(islice(fitting, request.workers))
            cards = found if len(found) == request.workers else ()
        else:
            cards = self._room.fit_best(
                group.names, request.memory_bytes, request.workers, group.avoided
            )
        self._cards.update(own)
        return cards

    def _hold_for_first(self, request: Request, group: Group) -> None:
        self._first = request.name
        if self._held.cards_of(request.name):
            return
        roomy = (
            key
            for _, key in self._room.find_largest(group.names, group.avoided)
            if self._held.get(key) is None and self._is_large_enough(key, request, group)
        )
        cards = tuple(islice(roomy, request.workers))
        if len(cards) == request.workers:
            self._cards.hold(request, cards)

    def _place_level(self, groups: Iterable[Group]) -> tuple[list[Placement], bool]:
        """Those who come next, up to the first that finds no room; whether there is one."""
        placed: list[Placement] = []
        heap = self._list_firsts(groups)
        heapq.heapify(heap)
        while heap:
            _, index, group = heapq.heappop(heap)
            request = group.entries[index][2]
            placement = self._start(request)
            if placement is None:
                self._hold_for_first(request, group)
                return placed, True
            placed.append(placement)
            if index < len(group.entries):
                heapq.heappush(heap, (group.order_at(index), index, group))
        return placed, False

    def _fill_up(self) -> list[Placement]:
        """Those for whom there is room, although somebody before them waits for more."""
        placed: list[Placement] = []
        largest = self._room.largest_bytes()
        for level in self._line.levels():
            groups = [
                group for group in level if group.whole_card or group.smallest_bytes <= largest
            ]
            if groups:
                placed += self._fill_level(groups)
                largest = self._room.largest_bytes()
        return placed

    def _fill_level(self, groups: Iterable[Group]) -> list[Placement]:
        placed = []
        heap = self._list_firsts(groups)
        heapq.heapify(heap)
        while heap:
            _, index, group = heapq.heappop(heap)
            fitting = self._find_fitting(group, index)
            if fitting == index:
                placement = self._start(group.entries[index][2])
                if placement is not None:
                    placed.append(placement)
                elif group.whole_card:
                    continue
                else:
                    fitting += 1
            if fitting < len(group.entries):
                heapq.heappush(heap, (group.order_at(fitting), fitting, group))
        return placed

    def _list_firsts(self, groups: Iterable[Group]) -> list[tuple[Order, int, Group]]:
        """The first of each group that is no misfit."""
        return [
            (group.order_at(index), index, group)
            for group in groups
            if (index := self._find_first(group)) < len(group.entries)
        ]

    def _forget_old_first(self) -> None:
        """Only the first in line has cards held without having sent others away."""
        old = self._first
        if not old or self._held.is_closed(old):
            return
        first = self.find_first()
        if first is None or first.name != old:
            self._cards.drop_hold(old)
            self._first = ""

    def _note_change(self) -> None:
        """Other cards are there. Cards that are held for some may not be what they would get."""
        self._version += 1
        for name in self._held.names():
            request = self._line.get(name)
            if request.whole_card or request.avoid:
                self._cards.drop_hold(name)

    def _refresh(self, group: Group) -> None:
        """What the cards that are there mean for a group."""
        if group.seen == self._version:
            return
        group.seen = self._version
        group.names = self._capacity.match(group.patterns)
        group.avoided = group.avoid
        group.limit_bytes = self._capacity.measure_room(group.names, group.workers, group.avoid)
        least = 0 if group.whole_card else -group.entries[0][0]
        if group.avoid and group.limit_bytes < least:
            group.avoided = frozenset()
            group.limit_bytes = self._capacity.measure_room(group.names, group.workers, frozenset())

    def _find_first(self, group: Group) -> int:
        """Index of the first that is no misfit."""
        self._refresh(group)
        if group.whole_card:
            return 0 if group.limit_bytes >= 0 else len(group.entries)
        return group.find_within(group.limit_bytes)

    def _find_fitting(self, group: Group, index: int) -> int:
        """Index of the first from there on for which there is room now."""
        if group.whole_card:
            return index
        if group.smallest_bytes > self._room.largest_bytes():
            return len(group.entries)
        room_bytes = self._room.measure_room(group.names, group.workers, group.avoided)
        return max(index, group.find_within(room_bytes))

    def _is_large_enough(self, key: CardId, request: Request, group: Group) -> bool:
        least = group.limit_bytes if request.whole_card else request.memory_bytes
        return self._cards.get(key).memory_bytes >= least
