"""One line now and then: how many have finished, run and wait, and how long that may take."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import JobState
from fitguard.words import duration, join

_EVERY_SECONDS = 30.0
_ORDER: tuple[JobState, ...] = ("running", "waiting", "failed", "refused")
_LEAST_ENDED = 3
"""Before so many have ended, nobody can tell how long the others take."""


class Summary:
    """Says how the fleet stands, where that has changed, and not too often.

    Args:
        tell: Says one line to the user.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._said: Counter[JobState] = Counter()
        self._began = self._when = time.monotonic()
        self._before: int | None = None

    def say(self, trainings: Iterable[Training]) -> None:
        """Say it, if it is time."""
        if self._before is not None and time.monotonic() - self._when < _EVERY_SECONDS:
            return
        states = Counter(one.state for one in trainings)
        if self._before is None:
            self._before = _count_ended(states)
            return
        self._when = time.monotonic()
        if states == self._said or not states["waiting"]:
            return
        self._said = states
        ended = _count_ended(states) - self._before
        self._tell(describe(states, ended, self._when - self._began))


def describe(states: Mapping[JobState, int], ended: int, seconds: float) -> str:
    """`12 of 60 finished · 5 running · 43 waiting · about 2 h left`.

    Args:
        ended: How many of them ended in these seconds.
    """
    numbers = Counter(states)
    left = numbers["running"] + numbers["waiting"]
    about = seconds / ended * left if ended >= _LEAST_ENDED else None
    return join(
        [
            f"{numbers['finished']:,} of {numbers.total():,} finished",
            *(f"{numbers[state]:,} {state}" for state in _ORDER if numbers[state]),
            None if about is None else f"about {duration(about)} left",
        ]
    )


def _count_ended(states: Mapping[JobState, int]) -> int:
    return states.get("finished", 0) + states.get("failed", 0)
