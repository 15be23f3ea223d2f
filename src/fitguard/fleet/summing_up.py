"""One line now and then: how many run, how many wait, and for what."""

import time
from collections import Counter
from collections.abc import Callable, Iterable

from fitguard.fleet.trainings import Training
from fitguard.schema.fleet import JobState

_EVERY_SECONDS = 30.0


class Summary:
    """Says how the fleet stands, where that has changed, and not too often.

    Args:
        tell: Says one line to the user.
    """

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._said: Counter[JobState] = Counter()
        self._when = time.monotonic()

    def say(self, trainings: Iterable[Training]) -> None:
        """Say it, if it is time."""
        if time.monotonic() - self._when < _EVERY_SECONDS:
            return
        self._when = time.monotonic()
        states = Counter(one.state for one in trainings)
        if states == self._said or not states["waiting"]:
            return
        self._said = states
        self._tell(", ".join(f"{number} {state}" for state, number in sorted(states.items())))
