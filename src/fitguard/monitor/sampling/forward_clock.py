"""The time of samples: that of the wall, but it never goes back."""

import time

from fitguard.monitor.journal import now


class ForwardClock:
    """Follows the wall clock forward; where that is put back, it goes on at its own pace.

    A detector that looks for growth over time must not see an hour twice.
    """

    def __init__(self) -> None:
        self._ahead = now() - time.monotonic()

    def read(self) -> float:
        """Seconds since 1970."""
        steady = time.monotonic()
        self._ahead = max(self._ahead, now() - steady)
        return steady + self._ahead
