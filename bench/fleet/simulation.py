"""A fleet in simulated time: trainings, cards that fail, and the packer of fitguard itself."""

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from fleet.policies import Policy
from fleet.sets import Training

from fitguard.fleet.packing import Packer
from fitguard.fleet.requests import CardId, Request, id_of
from fitguard.schema.fleet import FleetCard


@dataclass
class Totals:
    """Seconds of cards, each weighted by the share of the card's memory that is taken.

    Args:
        useful: Steps that are in the result.
        lost: Steps that were made and had to be made again.
        saving: Snapshots and checkpoints.
        starting: From the start of a process to its first step.
        away: Cards that had failed.
        unfilled: Memory that nobody was on, until the last training started: what did not fit.
        tail: The same after that: nobody waits any more, and the last ones train on.
    """

    useful: float = 0.0
    lost: float = 0.0
    saving: float = 0.0
    starting: float = 0.0
    away: float = 0.0
    unfilled: float = 0.0
    tail: float = 0.0
    faults: int = 0
    hits: int = 0
    seconds: float = 0.0
    card_seconds: float = 0.0


@dataclass
class Simulation:
    """One fleet, from its first start to its last end.

    Args:
        rate: Faults of a card in a second.
        away_seconds: Until it is back.
    """

    trainings: list[Training]
    cards: list[FleetCard]
    policy: Policy
    rate: float
    away_seconds: float
    seed: int = 1
    totals: Totals = field(default_factory=Totals)

    def __post_init__(self) -> None:
        self.packer = Packer()
        self.by_id = {id_of(card): card for card in self.cards}
        self.left = {one.name: one.seconds for one in self.trainings}
        self.sizes = {one.name: one.memory_bytes for one in self.trainings}
        self.begun: dict[str, tuple[float, int, CardId]] = {}
        self.starts = 0
        self.now = 0.0
        self.used = 0.0
        self.taken = 0.0
        self.at_last_start = (0.0, 0.0, 0.0)
        self.drawn = random.Random(self.seed)
        self.events: list[tuple[float, int, str, object]] = []

    def run(self) -> Totals:
        """Play it to its end."""
        for card in self.cards:
            self.packer.add_card(card)
            if self.rate:
                self._plan_fault(id_of(card))
        for one in self.trainings:
            self._ask(one.name)
        self._place()
        remaining = len(self.trainings)
        while remaining:
            before = self.now
            self.now, number, kind, what = heapq.heappop(self.events)
            self.taken += self.used * (self.now - before)
            if kind == "end":
                remaining -= self._end(str(what), number)
            elif kind == "fault":
                self._fail(what)
            else:
                self.packer.add_card(self.by_id[what])
                self._plan_fault(what)
                self._place()
        self._sum_up()
        return self.totals

    def _ask(self, name: str) -> None:
        whole = not self.policy.shares_cards
        self.packer.add(Request(name=name, memory_bytes=self.sizes[name], whole_card=whole))

    def _place(self) -> None:
        for placed in self.packer.place():
            self.starts += 1
            self.used += self._share(placed.name, placed.cards[0])
            self.at_last_start = (self.now, self.taken, self.totals.away)
            self.begun[placed.name] = (self.now, self.starts, placed.cards[0])
            takes = self.left[placed.name] * (1 + self.policy.overhead)
            ends = self.now + self.policy.restart_seconds + takes
            heapq.heappush(self.events, (ends, self.starts, "end", placed.name))

    def _end(self, name: str, number: int) -> int:
        begun = self.begun.get(name)
        if begun is None or begun[1] != number:
            return 0  # it was hit by a fault, and has begun again
        del self.begun[name]
        share = self._share(name, begun[2])
        self.used -= share
        self.totals.useful += self.left[name] * share
        self.totals.saving += self.left[name] * self.policy.overhead * share
        self.totals.starting += self.policy.restart_seconds * share
        self.packer.release(name)
        self._place()
        return 1

    def _fail(self, key: CardId) -> None:
        self.totals.faults += 1
        heapq.heappush(self.events, (self.now + self.away_seconds, -1, "back", key))
        for name in self.packer.remove_card(key):
            self.totals.hits += 1
            start, _, _ = self.begun.pop(name)
            share = self._share(name, key)
            self.used -= share
            trained = max(0.0, self.now - start - self.policy.restart_seconds)
            done = trained / (1 + self.policy.overhead)
            kept = min(self.policy.keep(done), self.left[name])
            self.left[name] -= kept
            self.totals.useful += kept * share
            self.totals.lost += (done - kept) * share
            self.totals.saving += done * self.policy.overhead * share
            self.totals.starting += min(self.now - start, self.policy.restart_seconds) * share
            self._ask(name)
        self.totals.away += self.away_seconds
        self._place()

    def _plan_fault(self, key: CardId) -> None:
        after = self.drawn.expovariate(self.rate)
        heapq.heappush(self.events, (self.now + after, -1, "fault", key))

    def _share(self, name: str, key: CardId) -> float:
        return self.sizes[name] / self.by_id[key].memory_bytes

    def _sum_up(self) -> None:
        totals = self.totals
        totals.seconds = self.now
        totals.card_seconds = self.now * len(self.cards)
        then, taken, away = self.at_last_start
        totals.unfilled = then * len(self.cards) - taken - away
        whole = totals.useful + totals.lost + totals.saving + totals.starting + totals.away
        totals.tail = totals.card_seconds - whole - totals.unfilled


def draw_trainings(seed: int, count: int, hours: float) -> Iterator[Training]:
    """Mixed sizes; lognormal times with this median, three days at most."""
    drawn = random.Random(seed)
    sizes = (4, 6, 8, 12, 16, 20, 24, 32, 40, 60, 80)
    for number in range(count):
        seconds = 3600 * min(hours * drawn.lognormvariate(0, 1.2), 72)
        yield Training(f"t{number}", drawn.choice(sizes) * 2**30, seconds)
