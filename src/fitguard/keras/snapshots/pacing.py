"""When the next snapshot is due: chosen from what they cost, so that they cost next to nothing."""

import math

FIRST_AFTER_SECONDS = 2.0
"""The first one comes early: what it costs is not known before, and a crash often is early."""
LEAST_APART_SECONDS = 1.0
_BYTES_PER_SECOND = 400e6
"""To copy, checksum and write them: slow, so that a first guess is rather too high."""

_MOST_UNWRITTEN = 2
"""One is being written, one waits; the writer drops what comes between."""


_WORTH = 10
"""Times what an end costs, it shall save."""


class Pacing:
    """Says when to take one. Times come from the caller: any clock that never goes back.

    Cost is the time that training stands still, and the CPU time of the thread that writes.

    Args:
        every_seconds: Take them so far apart, whatever they cost.
        budget: Part of the time that they may cost. The design allows twice the default: a
            snapshot may cost more than the one before.
    """

    def __init__(self, every_seconds: float | None = None, budget: float = 0.01) -> None:
        self._every = every_seconds
        self._budget = budget
        self._next = -math.inf
        self._began: float | None = None
        self._taken_at = -math.inf
        self._taking = 0.0
        self._writing = 0.0
        self._spent = 0.0
        self._unwritten = 0

    def expect(self, state_bytes: int) -> None:
        """Size of the snapshots to come: a guess of their cost, until one has been taken.

        Without it, the first snapshot of a large model would cost a short run more than 2 %.
        """
        if self._spent == 0.0:
            self._taking = self._writing = state_bytes / _BYTES_PER_SECOND / 2
            if self._began is not None:
                self._next = max(self._next, self._find_affordable_time(self._began))

    def check_due(self, now: float) -> bool:
        """Whether to take one now. The first call begins the time that may be spent."""
        if now < self._next:
            return False
        if self._began is not None:
            return True
        self._began = now
        self._next = now + (FIRST_AFTER_SECONDS if self._every is None else self._every)
        self._next = max(self._next, self._find_affordable_time(now))
        return now >= self._next

    def is_affordable(self, now: float) -> bool:
        """Whether one more is within the budget, however short ago the last was: at an end."""
        return self._began is not None and now >= self._find_affordable_time(self._began)

    def is_worth(self, trained_seconds: float) -> bool:
        """Whether the end of a call that trained so long is to be kept.

        All ends of a run stay on the disk: one shall save much more time than it costs, or as much
        as the user wants to lose at most.
        """
        least = _WORTH * (self._taking + self._writing)
        return trained_seconds >= (least if self._every is None else min(least, self._every))

    def note_taken(self, now: float, taking_seconds: float) -> None:
        """One was taken, and training stood still so long; it is about to be written."""
        self._began = now if self._began is None else self._began
        self._taken_at = now
        self._taking = taking_seconds
        self._spent += taking_seconds
        self._unwritten = min(self._unwritten + 1, _MOST_UNWRITTEN)
        self._choose()

    def note_written(self, cpu_seconds: float) -> None:
        """One was written, or given up; called from the thread that writes."""
        self._writing = cpu_seconds
        self._spent += cpu_seconds
        self._unwritten = max(0, self._unwritten - 1)
        self._choose()

    def _choose(self) -> None:
        if self._every is not None:
            self._next = self._taken_at + self._every
            return
        cost = self._taking + self._writing
        self._next = max(
            self._taken_at + max(LEAST_APART_SECONDS, cost / self._budget),
            self._find_affordable_time(self._began or 0.0),
        )

    def _find_affordable_time(self, began: float) -> float:
        """From when on all so far, and one more, are within the budget."""
        if self._every is not None:
            return -math.inf
        pending = self._unwritten * self._writing
        return began + (self._spent + pending + self._taking + self._writing) / self._budget
