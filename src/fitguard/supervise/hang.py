"""When a training counts as hung: no sign of it for longer than it can explain."""

from collections import deque
from statistics import median

from fitguard.monitor.beats import Beat, Phase

AT_LEAST_SECONDS = 300.0
STEPS = 20.0
"""So many times what a step usually takes, without one."""
LONGEST_PAUSES = 3.0
"""So many times the longest pause that was only a pause: a callback that works for long."""
OUTSIDE = 4.0
"""Times the limit of a first step, for what the script does between two calls of `fit`."""

_FIRST_STEPS = 2
_STEPS_KEPT = 101
_GAP_SECONDS = 2.0


class HangWatch:
    """Looks at the beats of one child.

    Args:
        hang_seconds: Without a step; None to judge by what steps take.
        first_step_seconds: Until the first steps are done: they are compiled. Evaluation has as
            long, for the same reason.
    """

    def __init__(
        self, hang_seconds: float | None, first_step_seconds: float, *, now: float
    ) -> None:
        self._hang_seconds = hang_seconds
        self._first_step_seconds = first_step_seconds
        self._count = 0
        self._quiet_since = now
        self._looked_at = now
        self._step: tuple[int, int] = (0, 0)
        self._step_at = now
        self._steps_of_fit = 0
        self._step_seconds: deque[float] = deque(maxlen=_STEPS_KEPT)
        self._longest_pause = 0.0

    def look(self, beat: Beat, now: float, *, excused: bool = False) -> float | None:
        """For how long nothing moved, where that is too long.

        Args:
            excused: It could not move: it is stopped, or nobody takes its output.
        """
        gap = now - self._looked_at
        if gap > _GAP_SECONDS:  # we were stopped ourselves, and it with us
            self._quiet_since += gap
            self._step_at += gap
        self._looked_at = now
        if beat.count != self._count or excused:
            self._note_progress(beat, now)
            return None
        quiet = now - self._quiet_since
        limit = self.limit_seconds(beat.phase)
        return quiet if limit is not None and quiet > limit else None

    def quiet_seconds(self, now: float) -> float:
        """Since the last sign."""
        return now - self._quiet_since

    def limit_seconds(self, phase: Phase) -> float | None:
        """How long nothing may move in this phase; None for ever."""
        if phase in ("starting", "idle"):
            # Scripts load data and wait for people: only a user who set a limit means them too.
            asked = self._hang_seconds
            return None if asked is None else max(asked, OUTSIDE * self._first_step_seconds)
        if phase == "evaluating" or self._steps_of_fit < _FIRST_STEPS:
            return max(self._first_step_seconds, self._training_seconds())
        return self._training_seconds()

    def _training_seconds(self) -> float:
        if self._hang_seconds is not None:
            return self._hang_seconds
        usual = median(self._step_seconds) if self._step_seconds else 0.0
        return max(STEPS * usual, LONGEST_PAUSES * self._longest_pause, AT_LEAST_SECONDS)

    def _note_progress(self, beat: Beat, now: float) -> None:
        if beat.phase == "training" and self._steps_of_fit >= _FIRST_STEPS:
            self._longest_pause = max(self._longest_pause, now - self._quiet_since)
        self._count = beat.count
        self._quiet_since = now
        step = (beat.place.fit, beat.place.total_steps)
        if step[0] != self._step[0]:
            self._steps_of_fit = 0  # a resumed call begins at a later step
        elif (taken := step[1] - self._step[1]) > 0:
            self._steps_of_fit += taken
            self._step_seconds.append((now - self._step_at) / taken)
        self._steps_of_fit = max(self._steps_of_fit, beat.steps_here)
        if step != self._step:
            self._step, self._step_at = step, now
