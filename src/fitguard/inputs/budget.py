"""The time that reading may take, shared out among its parts."""

import numbers
import time
from dataclasses import dataclass, field

from fitguard.schema.exit_codes import UsageError

DEFAULT_SECONDS = 2.0
LONGEST_SECONDS = 1e9
"""Longer than anybody waits, and a number in every format."""


@dataclass(frozen=True)
class Budget:
    """Deadlines on the clock of `time.monotonic`.

    Args:
        seconds: All in all; None where everything is to be read.
    """

    seconds: float | None
    started: float = field(default_factory=time.monotonic)

    def until(self, share: float) -> float | None:
        """The moment at which this share of the time is over; None: never."""
        return None if self.seconds is None else self.started + share * self.seconds

    @property
    def spent_seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started


def budget(seconds: float, *, full: bool) -> Budget:
    """The budget that was asked for, begun now.

    Raises:
        UsageError: for what is no positive number of seconds.
    """
    if isinstance(seconds, bool) or not isinstance(seconds, numbers.Real) or not seconds > 0:
        raise UsageError(
            f"Received budget_seconds={seconds!r}. Expected a positive number; full=True reads all"
        )
    return Budget(None if full else float(min(seconds, LONGEST_SECONDS)))
