"""How long trainings will train: pure, no clock.

What the job tells counts first (`takes`). Then those that have ended: of the same command but for
numbers, else of the same script and options with whatever values; each is expected to take as long
as they did on average. One of which nothing is known may be as long as the longest of all: so it
starts early, and those that are like it learn from it. One that goes on from a snapshot has less
left.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Iterable

from fitguard.schema.fleet import FleetJob

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.IGNORECASE)
_LEAST_LEFT = 0.01
"""Of the whole: a start takes time, too."""


class Expecting:
    """Learns from each training that has ended.

    Args:
        jobs: All of the fleet.
    """

    def __init__(self, jobs: Iterable[FleetJob]) -> None:
        self._told: dict[str, float] = {}
        self._kinds: dict[str, list[int]] = {}
        self._names: dict[int, list[str]] = defaultdict(list)
        self._ended: dict[int, tuple[float, int]] = {}
        self._done: dict[str, float] = {}
        numbers: dict[Hashable, int] = {}  # of kinds: they are looked up far faster
        for job in jobs:
            if job.takes_seconds is not None:
                self._told[job.name] = job.takes_seconds
                continue
            kinds = [numbers.setdefault(kind, len(numbers)) for kind in list_kinds(job)]
            self._kinds[job.name] = kinds
            self._names[kinds[-1]].append(job.name)
        self._longest = max(self._told.values(), default=None)

    def note_done(self, name: str, share: float) -> None:
        """This part of a training is in its snapshots."""
        self._done[name] = share

    def learn(self, name: str, seconds: float) -> list[str]:
        """It has ended, and trained for so long; gives those that are expected to take longer or
        shorter than before."""
        kinds = self._kinds.get(name, ())
        for kind in kinds:
            total, count = self._ended.get(kind, (0.0, 0))
            self._ended[kind] = (total + seconds, count + 1)
        if self._longest is None or seconds > self._longest:
            self._longest = seconds
            return list(self._kinds)
        return self._names[kinds[-1]] if kinds else []

    def expect(self, name: str) -> float | None:
        """Seconds that it will train from now on; None where nothing is known of any."""
        whole = self._expect_whole(name)
        left = max(1.0 - self._done.get(name, 0.0), _LEAST_LEFT)
        return None if whole is None else whole * left

    def _expect_whole(self, name: str) -> float | None:
        if name in self._told:
            return self._told[name]
        for kind in self._kinds[name]:
            if kind in self._ended:
                total, count = self._ended[kind]
                return total / count
        return self._longest


def list_kinds(job: FleetJob) -> tuple[Hashable, Hashable]:
    """What it has in common with those that take about as long, the closest first."""
    start = 2 if job.command[0] == "-m" else 1
    same = (job.folder, job.python, job.workers, job.command[:start])
    words = job.command[start:]
    close = tuple(_blank(word, numbers_only=True) for word in words)
    wide = tuple(_blank(word, numbers_only=False) for word in words)
    return (*same, close, "numbers"), (*same, wide, "values")


def _blank(word: str, *, numbers_only: bool) -> str:
    """Without its value: `--lr=0.1` and `--lr=0.2` are the same."""
    is_option = word.startswith("-") and not _NUMBER.fullmatch(word)
    name, equals, value = word.partition("=") if is_option else ("", "", word)
    if is_option and not equals:
        return word
    if numbers_only and not _NUMBER.fullmatch(value):
        return word
    return f"{name}{equals}?"
