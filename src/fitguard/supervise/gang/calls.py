"""Worker 0 says where all take the next snapshot: pure, from what it sees to what it says.

A place that some are past already makes a set that stays incomplete, and is never used. So the
place is some steps ahead: as many as are made until all have heard of it. How long that takes is
learned: as long as sets stay incomplete, the way to the next place gets longer.

Who is called to leave waits at its place until the set is complete. Where a worker says that it
missed the place, all are called to a later one.
"""

import math
from collections.abc import Collection, Mapping

from fitguard.monitor.beats import Beat
from fitguard.schema.gang import Called, SavedPlace, Wanted

_FIRST_SECONDS, _MOST_SECONDS = 1.0, 60.0
_MOST_TO_LEAVE_SECONDS = 8.0
"""Who is asked to leave is killed soon."""
_COMPLETE_SECONDS = 5.0
"""In which the snapshots of all are on the disk, and seen, once the place is past."""
_GIVEN_UP_SECONDS = 15.0
"""In which those who wait for a complete set have left: who trains on was not called."""
_LEAST_STEPS = 2
_RATE_SECONDS = 2.0
"""Over which the speed is measured."""


class Caller:
    """Calls for snapshots of all workers in one round."""

    def __init__(self, ahead_seconds: float = _FIRST_SECONDS) -> None:
        self.ahead_seconds = ahead_seconds
        self._asks = 0
        self._answered: dict[int, int] = {}
        self._called: Called | None = None
        self._ahead_steps = 0
        self._past_at: float | None = None
        self._since = (0, 0, 0.0)
        self._rate = 0.0

    def look(
        self,
        beat: Beat,
        wanted: Mapping[int, Wanted],
        complete: Collection[SavedPlace],
        now: float,
    ) -> Called | None:
        """What to say now; None for nothing new.

        Args:
            beat: How far worker 0 is: others are at the same step, or beside it.
            wanted: What the workers want, by worker.
            complete: The sets that are there.
        """
        self._measure_rate(beat, now)
        leave = any(one.want == "leave" for one in wanted.values())
        asked = self._take_asks(beat, wanted)
        if not beat.answering or beat.place.fit < 1:
            return None
        pending = self._called is not None and not self._is_past(self._called, beat)
        if not pending and self._past_at is None:
            self._past_at = now
        missed = self._is_missed(wanted)
        if self._called is not None and self._called.leave:
            if not missed and not self._is_given_up(beat, now):
                return None
        elif pending and not leave:
            return None
        if not leave and not asked:
            return None
        self._learn(complete, now)
        most = _MOST_TO_LEAVE_SECONDS if leave else _MOST_SECONDS
        seconds = min(self.ahead_seconds, most)
        # What was too near is too near again: who waits makes no steps, so the speed seems low.
        least = 2 * self._ahead_steps if missed else _LEAST_STEPS
        ahead = self._ahead_steps = max(least, 1 + math.ceil(self._rate * seconds))
        place = SavedPlace(fit=beat.place.fit, steps=beat.place.total_steps + ahead)
        number = self._called.number + 1 if self._called is not None else 1
        self._called = Called(place=place, leave=leave, number=number)
        self._past_at = None
        return self._called

    def _is_missed(self, wanted: Mapping[int, Wanted]) -> bool:
        """Whether a worker heard of the last call too late: the set stays incomplete."""
        called = self._called
        return called is not None and any(one.missed == called.number for one in wanted.values())

    def _is_given_up(self, beat: Beat, now: float) -> bool:
        """Whether all train on behind the place where they were to leave."""
        called, past_at = self._called, self._past_at
        if called is None or past_at is None:
            return False
        return beat.place.fit != called.place.fit or now - past_at > _GIVEN_UP_SECONDS

    def _take_asks(self, beat: Beat, wanted: Mapping[int, Wanted]) -> bool:
        """Whether somebody asks who has not been answered."""
        new = beat.asks_call > self._asks
        self._asks = max(self._asks, beat.asks_call)
        for worker, one in wanted.items():
            new = new or one.number > self._answered.get(worker, 0)
            self._answered[worker] = one.number
        return new

    @staticmethod
    def _is_past(called: Called, beat: Beat) -> bool:
        place = beat.place
        return place.fit != called.place.fit or place.total_steps > called.place.steps

    def _learn(self, complete: Collection[SavedPlace], now: float) -> None:
        last, past_at = self._called, self._past_at
        too_early = past_at is None or now - past_at < _COMPLETE_SECONDS
        if last is None or last.place in complete or too_early:
            return
        # A fit that ended before the place was reached has nothing to teach: its end was kept.
        if SavedPlace(fit=last.place.fit, end=True) not in complete:
            self.ahead_seconds = min(2 * self.ahead_seconds, _MOST_SECONDS)

    def _measure_rate(self, beat: Beat, now: float) -> None:
        fit, steps, since = self._since
        place = beat.place
        if place.fit != fit or place.total_steps < steps:
            self._since = (place.fit, place.total_steps, now)
        elif now - since >= _RATE_SECONDS:
            self._rate = (place.total_steps - steps) / (now - since)
            self._since = (place.fit, place.total_steps, now)
        elif now > since:
            self._rate = max(self._rate, (place.total_steps - steps) / max(now - since, 0.5))
