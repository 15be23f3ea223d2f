"""What a training asks of the fleet, and what it gets."""

import msgspec

from fitguard.schema.fleet import FleetCard

CardId = tuple[str, int]
"""The node and the index of the card on it."""


def id_of(card: FleetCard) -> CardId:
    """What a card is called among all cards of the fleet."""
    return (card.node, card.index)


class Request(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A training that wants cards.

    Args:
        memory_bytes: On each card; without meaning for `whole_card`.
        workers: On how many different cards at once.
        cards: Names of cards that will do, with `*`; empty for any.
        whole_card: It takes the largest cards that it may use, each as a whole: nothing is large
            enough for it as it is, and it will train with micro-batches.
        avoid: Cards on which it failed. It gets one of them only if no other would ever do.
        takes_seconds: That it will train, as far as that is known.
    """

    name: str
    memory_bytes: int
    priority: int = 0
    workers: int = 1
    cards: tuple[str, ...] = ()
    whole_card: bool = False
    avoid: frozenset[CardId] = frozenset()
    takes_seconds: float | None = None


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """A training that is to start now.

    Args:
        cards: One for each worker, all different.
        memory_bytes: That it may take of each of them.
    """

    name: str
    cards: tuple[CardId, ...]
    memory_bytes: int


class Misfit(msgspec.Struct, frozen=True, kw_only=True):
    """A training that fits nowhere, however long it waits.

    Args:
        largest: The largest card that it may use; with several workers, the smallest of as many of
            the largest ones; None where there are not so many.
        left_out: Cards that are left out now, and would be large enough.
    """

    request: Request
    largest: FleetCard | None
    left_out: tuple[CardId, ...] = ()
