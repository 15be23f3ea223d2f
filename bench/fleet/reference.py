"""How fast a set of trainings could have been: what the packer is compared with.

`play` is the packer, with what the fleet expects of each training. `pack_offline` knows all times,
and tries many orders. `bound_below` is proven: nothing is faster, but what is that fast may not
exist.
"""

import heapq
import random
from collections.abc import Sequence

from fleet.sets import Training

from fitguard.fleet.expecting import Expecting
from fitguard.fleet.packing import Packer
from fitguard.fleet.requests import Request
from fitguard.schema.fleet import FleetCard


def play(
    trainings: Sequence[Training], cards: Sequence[FleetCard], expecting: Expecting | None = None
) -> float:
    """Seconds until the last one has ended, with the packer.

    Args:
        expecting: What is known of the times; None for nothing, ever.
    """
    packer = Packer()
    for card in cards:
        packer.add_card(card)
    for one in trainings:
        takes = expecting.expect(one.name) if expecting else None
        packer.add(Request(name=one.name, memory_bytes=one.memory_bytes, takes_seconds=takes))
    seconds = {training.name: training.seconds for training in trainings}
    now, ends = 0.0, []
    while packer.waiting or ends:
        for placed in packer.place():
            heapq.heappush(ends, (now + seconds[placed.name], placed.name))
        now, name = heapq.heappop(ends)
        packer.release(name)
        if expecting:
            changed = expecting.learn(name, seconds[name])
            packer.retime({other: expecting.expect(other) for other in changed})
    return now


def pack_offline(
    trainings: Sequence[Training], cards: Sequence[FleetCard], seed: int, tries: int
) -> float:
    """The best of many orders, each tried from its first training to its last."""
    drawn = random.Random(seed)
    orders = [
        sorted(trainings, key=lambda one: -one.seconds),
        sorted(trainings, key=lambda one: -one.memory_bytes),
        sorted(trainings, key=lambda one: -one.seconds * one.memory_bytes),
    ]
    order = min(orders, key=lambda order: pack_in_order(order, cards))
    best = pack_in_order(order, cards)
    for _ in range(tries):
        other = list(order)
        for _ in range(drawn.randint(1, 3)):
            other.insert(drawn.randrange(len(other)), other.pop(drawn.randrange(len(other))))
        seconds = pack_in_order(other, cards)
        if seconds <= best:
            best, order = seconds, other
    return best


def bound_below(trainings: Sequence[Training], cards: Sequence[FleetCard]) -> float:
    """What no packing can beat: the longest one; memory times time; those of a size and more."""
    capacities = [card.memory_bytes for card in cards]
    bounds = [max(one.seconds for one in trainings)]
    for size in sorted({one.memory_bytes for one in trainings}):
        large = [one for one in trainings if one.memory_bytes >= size]
        places = sum(capacity // size for capacity in capacities)
        room = sum(capacity for capacity in capacities if capacity >= size)
        bounds.append(sum(one.seconds for one in large) / places)
        bounds.append(sum(one.seconds * one.memory_bytes for one in large) / room)
    return max(bounds)


def pack_in_order(order: Sequence[Training], cards: Sequence[FleetCard]) -> float:
    """Each moment, the first that fits starts, on the card where the least is left."""
    free, now = [card.memory_bytes for card in cards], 0.0
    waiting, ends = list(order), []
    while waiting or ends:
        left, most = [], max(free)
        for one in waiting:
            if one.memory_bytes > most:
                left.append(one)
                continue
            card = min((room, n) for n, room in enumerate(free) if room >= one.memory_bytes)[1]
            free[card] -= one.memory_bytes
            most = max(free)
            heapq.heappush(ends, (now + one.seconds, card, one.memory_bytes))
        waiting = left
        now, card, size = heapq.heappop(ends)
        free[card] += size
    return now
