"""Who has to leave for a training of higher priority: pure.

As low a priority as can be comes before as few as can be, and that before as little memory as can
be: one training of priority 1 stays where two of priority 0 can go. Nobody leaves for a training of
the same priority.
"""

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from typing import NamedTuple

from fitguard.fleet.requests import CardId


class Tenant(NamedTuple):
    """A training on a card, and what it takes of it."""

    name: str
    priority: int
    memory_bytes: int


class Occupied(NamedTuple):
    """A card that would do.

    Args:
        missing_bytes: Until there is room on it; none or less where there is.
        tenants: Those who are not on their way out already.
    """

    card: CardId
    missing_bytes: int
    tenants: Sequence[Tenant]


class _Clearing(NamedTuple):
    """What it takes to clear one card; sorted by what is worse, and by the card."""

    highest: int
    victim_count: int
    memory_bytes: int
    card: CardId
    victims: tuple[Tenant, ...]
    occupied: Occupied


def choose_victims(
    cards: Iterable[Occupied], workers: int, priority: int
) -> tuple[tuple[CardId, ...], tuple[str, ...]]:
    """The cards to clear, and the names of those who have to leave them.

    Nothing and nobody where there are not enough cards that can be cleared.

    Args:
        cards: Each once.
    """
    # One after the other: Python's garbage collector would go through thousands that are kept.
    clearings = (_clear(card, priority) for card in cards)
    possible = nsmallest(workers, (one for one in clearings if one is not None))
    if len(possible) < workers:
        return (), ()
    chosen = [clearing.occupied for clearing in possible]
    victims = {tenant.name: tenant for clearing in possible for tenant in clearing.victims}
    # One that is on several of the cards may make another one's leaving unnecessary.
    for tenant in sorted(victims.values(), key=lambda tenant: -tenant.priority):
        others = victims.keys() - {tenant.name}
        if all(_is_cleared(card, others) for card in chosen):
            del victims[tenant.name]
    return tuple(card.card for card in chosen), tuple(sorted(victims))


def _is_cleared(card: Occupied, leaving: Iterable[str]) -> bool:
    gone = set(leaving)
    left = sum(tenant.memory_bytes for tenant in card.tenants if tenant.name in gone)
    return left >= card.missing_bytes


def _clear(card: Occupied, priority: int) -> _Clearing | None:
    if card.missing_bytes <= 0:
        return _Clearing(-(2**63), 0, 0, card.card, (), card)
    those: list[Tenant] = []
    left = card.missing_bytes
    for tenant in sorted(card.tenants, key=lambda tenant: tenant.priority):
        if tenant.priority >= priority or (left <= 0 and tenant.priority > those[-1].priority):
            break
        those.append(tenant)
        left -= tenant.memory_bytes
    if left > 0:
        return None
    victims = _choose_fewest(those, card.missing_bytes)
    taken = sum(tenant.memory_bytes for tenant in victims)
    return _Clearing(those[-1].priority, len(victims), taken, card.card, victims, card)


def _choose_fewest(tenants: Iterable[Tenant], missing_bytes: int) -> tuple[Tenant, ...]:
    """As few as can be; the last of them as small as will do. None where all are not enough."""
    largest_first = sorted(tenants, key=lambda tenant: (-tenant.memory_bytes, tenant.name))
    left = missing_bytes
    for index, tenant in enumerate(largest_first):
        if tenant.memory_bytes >= left:
            last = [one for one in largest_first[index:] if one.memory_bytes >= left][-1]
            return (*largest_first[:index], last)
        left -= tenant.memory_bytes
    return ()
