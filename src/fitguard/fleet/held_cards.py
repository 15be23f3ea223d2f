"""Room on cards that is kept for one that cannot start yet.

A training that is first in line and finds no room is not overtaken for ever: cards are held for it.
Others may start there only with what will be left over for them once those who run there now have
ended. It starts no later than that, whoever comes after it.

A card from which others are sent away is held closed: nobody else starts on it.
"""

from collections.abc import Iterable

from fitguard.fleet.requests import CardId


class Hold:
    """Room on one card that is kept for a training.

    Args:
        closed: Nobody else may start there.
        newcomers: Who came since, with the bytes that each has.
    """

    def __init__(self, name: str, memory_bytes: int, *, closed: bool) -> None:
        self.name = name
        self.memory_bytes = memory_bytes
        self.closed = closed
        self.newcomers: dict[str, int] = {}

    def leave_to_others(self, capacity_bytes: int) -> int:
        """What others may take of the card from now on."""
        if self.closed:
            return 0
        return capacity_bytes - self.memory_bytes - sum(self.newcomers.values())


class HeldCards:
    """All holds; a card has one at most."""

    def __init__(self) -> None:
        self._holds: dict[CardId, Hold] = {}
        self._cards_of: dict[str, tuple[CardId, ...]] = {}

    def hold(self, name: str, cards: dict[CardId, int], *, closed: bool = False) -> None:
        """Keep so many bytes on each of these cards."""
        self._cards_of[name] = tuple(cards)
        for card, memory_bytes in cards.items():
            self._holds[card] = Hold(name, memory_bytes, closed=closed)

    def drop(self, name: str) -> tuple[CardId, ...]:
        """Keep nothing for this one any more; gives the cards that are free of it."""
        cards = self._cards_of.pop(name, ())
        for card in cards:
            del self._holds[card]
        return cards

    def get(self, card: CardId) -> Hold | None:
        """The hold of a card."""
        return self._holds.get(card)

    def cards_of(self, name: str) -> tuple[CardId, ...]:
        """The cards that are held for one."""
        return self._cards_of.get(name, ())

    def is_closed(self, name: str) -> bool:
        """Whether others were sent away for it."""
        cards = self.cards_of(name)
        return bool(cards) and self._holds[cards[0]].closed

    def names(self) -> list[str]:
        """Those for whom something is held."""
        return list(self._cards_of)

    def note_start(self, name: str, cards: Iterable[CardId], memory_bytes: int) -> None:
        """One has started on cards, some of which may be held for others."""
        for card in cards:
            if card in self._holds:
                self._holds[card].newcomers[name] = memory_bytes

    def note_end(self, name: str, cards: Iterable[CardId]) -> None:
        """One has left them."""
        for card in cards:
            if card in self._holds:
                self._holds[card].newcomers.pop(name, None)
