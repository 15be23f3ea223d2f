"""Looks at a training that runs: does it move, does it lead anywhere, will it last?"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.regular_files import read_end
from fitguard.supervise.alarm import Alarm
from fitguard.supervise.autotuning import AutotuningWatch
from fitguard.supervise.child import Child
from fitguard.supervise.departure import Departure
from fitguard.supervise.desk import Desk
from fitguard.supervise.hang import HangWatch

if TYPE_CHECKING:
    from fitguard.monitor.detectors.framework.registry import Alert

_SURE_AFTER_SECONDS = 1.0
_SAVE_EVERY_SECONDS = 120.0
_STACK_LINES = 12
_STACK_BYTES = 1 << 20
_STOPPED = ("T", "t")
_WORTH_A_PROFILE = ("slow-steps", "slow-input", "gpu-leak", "gpu-pressure", "gpu-fragmenting")


class Vigil:
    """Keeps watch over one attempt, and says why it is ended before its time.

    Args:
        attempt: Its number.
        save: Called to have a snapshot taken.

    Attributes:
        foreseen: The cause that would have ended it, where it leaves before that.
    """

    def __init__(
        self,
        desk: Desk,
        attempt: int,
        heartbeat: Heartbeat,
        autotuning: AutotuningWatch,
        *,
        save: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._heartbeat = heartbeat
        self._autotuning = autotuning
        self._save = save
        begun = time.monotonic()
        options = desk.options
        self._hang = HangWatch(options.hang_seconds, options.first_step_seconds, now=begun)
        self._alarm = Alarm(desk, attempt, now=begun, told=self._profile)
        self._save_at = begun
        self._stacks_from = self._stacks_size()
        self._seen: tuple[str, ...] = ()
        self.foreseen = ""

    def look(self, child: Child, departure: Departure, *, stalled: bool) -> None:
        """Make the child leave where it must.

        Args:
            stalled: Nobody takes its output, so it cannot go on.
        """
        beat = self._heartbeat.read()
        now = time.monotonic()
        in_fit = beat.phase in ("training", "evaluating")
        if in_fit and (failures := self._autotuning.look(beat.count)):
            self._seen = failures
            self._desk.say("XLA's autotuning keeps running out of memory. fitguard stops it here.")
            departure.abort("out-of-memory")
            return
        quiet = self._hang.quiet_seconds(now) > _SURE_AFTER_SECONDS
        excused = stalled or (quiet and child.state in _STOPPED)
        hung_seconds = self._hang.look(beat, now, excused=excused)
        if hung_seconds is not None:
            self._seen = (f"no sign of life for {hung_seconds:.0f} s while {beat.phase}",)
            self._desk.say(
                f"no sign of life for {hung_seconds:.0f} s: the training hangs. Stack traces of "
                f"its threads go to {self._desk.folder.stacks}."
            )
            departure.abort("hung")
            return
        pressing = self._alarm.look(now, beat.place)
        if pressing is not None and in_fit and departure.reason is None:
            self._prepare(pressing, departure, now)

    def _prepare(self, pressing: "Alert", departure: Departure, now: float) -> None:
        """Begin again in time where memory is about to end; where that is not sure, save."""
        if pressing.act:
            self._seen = (pressing.text,)
            self.foreseen = pressing.cause
            self._desk.say(f"{pressing.title}. The training takes a snapshot and restarts.")
            departure.leave("planned")
        elif now >= self._save_at:
            self._save_at = now + _SAVE_EVERY_SECONDS
            self._save()

    @property
    def leaks(self) -> dict[str, str]:
        """What leaked in the last minutes, by code of the alert."""
        return self._alarm.leaks

    def _profile(self, alert: "Alert") -> None:
        """A trace shows what the steps do that an alert is about."""
        if self._desk.options.profile is not None and alert.slug in _WORTH_A_PROFILE:
            self._heartbeat.wish_profile()

    def evidence(self) -> tuple[str, ...]:
        """What was seen; of a hang, what the threads did."""
        return (*self._seen, *self._stacks()) if self._seen else ()

    def _stacks(self) -> tuple[str, ...]:
        try:
            end = read_end(self._desk.folder.stacks, _STACK_BYTES, self._stacks_from)
        except OSError:
            return ()
        text = end.decode("utf-8", "replace")
        return tuple(line.rstrip() for line in text.splitlines() if line.strip())[-_STACK_LINES:]

    def _stacks_size(self) -> int:
        try:
            return self._desk.folder.stacks.stat().st_size
        except OSError:
            return 0
