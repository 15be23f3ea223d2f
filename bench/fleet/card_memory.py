"""How much of each card was in use at most, by all trainings on it together.

What a training had in use is in the record of its run, as TensorFlow's allocator counted it, and so
is the card of each of its attempts.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fitguard.fleet.declared import read_declared
from fitguard.schema.run import MemorySample, Run


class Use(NamedTuple):
    """Memory that was in use on a card, at most, for some time."""

    since: float
    until: float
    memory_bytes: int


def list_cards(nodes: Iterable[str]) -> dict[str, int]:
    """Bytes of the cards of nodes by `INDEX NAME`, which no two of them may have in common."""
    return {
        f"{index} {name}": memory_bytes
        for node in nodes
        for index, (name, memory_bytes) in enumerate(read_declared(node))
    }


def find_fullest(runs: Iterable[Run], cards: Mapping[str, int]) -> dict[str, float]:
    """The largest part of each card that was in use at any time."""
    uses: dict[str, list[Use]] = defaultdict(list)
    for run in runs:
        for attempt in run.attempts:
            of_attempt = [one for one in run.samples if one.attempt == attempt.number]
            uses[attempt.card.partition("/")[2]] += list_uses(attempt.started, of_attempt)
    return {card: sum_most(found) / cards[card] for card, found in uses.items() if found}


def list_uses(since: float, samples: Sequence[MemorySample]) -> list[Use]:
    """Each sample stands for the time since the one before."""
    uses = []
    for sample in samples:
        if sample.allocator_peak_bytes is not None:
            uses.append(Use(since, sample.time, sample.allocator_peak_bytes))
            since = sample.time
    return uses


def sum_most(uses: Sequence[Use]) -> int:
    """The most that was in use at the same time."""
    changes = [(use.since, use.memory_bytes) for use in uses]
    changes += [(use.until, -use.memory_bytes) for use in uses]
    now = most = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most
