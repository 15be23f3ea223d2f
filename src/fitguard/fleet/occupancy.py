"""Who is on which card, what is held there for others, and what is left over."""

from collections.abc import Iterable, Mapping

from fitguard.fleet.card_room import CardRoom
from fitguard.fleet.held_cards import HeldCards
from fitguard.fleet.preempting import Occupied, Tenant
from fitguard.fleet.requests import CardId, Request, id_of
from fitguard.schema.fleet import FleetCard


class Occupancy:
    """All cards, with those who are on them.

    Args:
        capacity: Memory of the cards that are in use.
        room: What those who wait may take of them now.
        held: Room that is kept for some of those.
    """

    def __init__(self) -> None:
        self.capacity = CardRoom()
        self.room = CardRoom()
        self.held = HeldCards()
        self._cards: dict[CardId, FleetCard] = {}
        self._tenants: dict[CardId, dict[str, Tenant]] = {}

    def __contains__(self, key: CardId) -> bool:
        return key in self._cards

    def get(self, key: CardId) -> FleetCard:
        """A card."""
        return self._cards[key]

    def put(self, card: FleetCard) -> None:
        """There is a card, or another word on one that there was."""
        key = id_of(card)
        self._cards[key] = card
        self._tenants.setdefault(key, {})
        if card.left_out:
            self.capacity.drop(key)
            self.room.drop(key)
            self.drop_hold_on(key)
            return
        self.capacity.set(key, card.name, card.memory_bytes)
        self.update((key,))

    def drop(self, key: CardId) -> None:
        """The card is gone, and nobody is on it."""
        del self._cards[key], self._tenants[key]
        self.capacity.drop(key)
        self.room.drop(key)

    def used_bytes(self, key: CardId) -> int:
        """What all trainings on a card may take of it."""
        return sum(tenant.memory_bytes for tenant in self._tenants[key].values())

    def free_bytes(self, key: CardId) -> int:
        """What no training on a card may take of it."""
        return self._cards[key].memory_bytes - self.used_bytes(key)

    def list_tenants(self, key: CardId) -> tuple[str, ...]:
        """The trainings on a card."""
        return tuple(self._tenants[key])

    def seat(self, name: str, priority: int, taken: Mapping[CardId, int]) -> None:
        """A training starts, and may take so much of these cards."""
        for key, memory_bytes in taken.items():
            self.held.note_start(name, (key,), memory_bytes)
            self._tenants[key][name] = Tenant(name, priority, memory_bytes)
        self.update(taken)

    def unseat(self, name: str, cards: Iterable[CardId]) -> None:
        """It is off its cards."""
        self.held.note_end(name, cards)
        for key in cards:
            del self._tenants[key][name]
        self.update(cards)

    def hold(self, request: Request, cards: tuple[CardId, ...], *, closed: bool = False) -> None:
        """Keep room on these cards for one that waits."""
        needs = {key: self.count_need(request, key) for key in cards}
        self.held.hold(request.name, needs, closed=closed)
        self.update(cards)

    def drop_hold(self, name: str) -> None:
        """Keep nothing for this one any more."""
        self.update(self.held.drop(name))

    def drop_hold_on(self, key: CardId) -> None:
        """Keep nothing for the one for whom room on this card was kept."""
        hold = self.held.get(key)
        if hold is not None:
            self.drop_hold(hold.name)

    def lend(self, cards: Iterable[CardId]) -> None:
        """Let all that is free of them be had, held or not, until they are updated."""
        for key in cards:
            self.room.set(key, self._cards[key].name, self.free_bytes(key))

    def update(self, cards: Iterable[CardId]) -> None:
        """See what others may take of these cards now."""
        for key in cards:
            card = self._cards.get(key)
            if card is None or card.left_out:
                continue
            room_bytes, hold = self.free_bytes(key), self.held.get(key)
            if hold is not None:
                room_bytes = min(room_bytes, hold.leave_to_others(card.memory_bytes))
            self.room.set(key, card.name, room_bytes)

    def count_need(self, request: Request, key: CardId) -> int:
        """What a training would take of a card."""
        return self._cards[key].memory_bytes if request.whole_card else request.memory_bytes

    def describe(self, key: CardId, request: Request, leaving: set[str]) -> Occupied:
        """What it would take to have a card for a training.

        Args:
            leaving: Those who are on their way out already.
        """
        staying = [one for one in self._tenants[key].values() if one.name not in leaving]
        free_soon = self._cards[key].memory_bytes - sum(one.memory_bytes for one in staying)
        return Occupied(key, self.count_need(request, key) - free_soon, staying)

    def find_left_out(self, request: Request) -> tuple[CardId, ...]:
        """Cards that are left out now, and would be large enough."""
        names = CardRoom()
        for key, card in self._cards.items():
            if card.left_out and (request.whole_card or card.memory_bytes >= request.memory_bytes):
                names.set(key, card.name, card.memory_bytes)
        return tuple(key for _, key in names.find_largest(names.match(request.cards)))
