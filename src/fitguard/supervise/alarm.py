"""Tells what the detectors find in the flight record of a training that runs, each thing once."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from fitguard.monitor.flight_record import FlightRecord, read_flight_records
from fitguard.monitor.journal import now as read_clock
from fitguard.monitor.samples import list_flight_records
from fitguard.schema.finding import SEVERITIES, Severity
from fitguard.schema.journal import Alerted
from fitguard.schema.run import Place
from fitguard.supervise.desk import Desk
from fitguard.words import say_error

if TYPE_CHECKING:
    from fitguard.monitor.detectors.framework.registry import Alert

LEAK = "gpu-memory-leak"
"""A leak of main memory has the same cause: what helps is the same."""
LOOK_EVERY_SECONDS = 10.0
_FORGOTTEN_AFTER_SECONDS = 1800.0
"""What was not there for so long, and comes again, is said again."""
_LEAKED_SECONDS = 300.0
_PACE_SECONDS = 5.0
"""Of the ring that is read: four hours, in even pieces, in a few milliseconds."""


class Alarm:
    """Looks at one attempt.

    Args:
        attempt: Its number.
        told: Called with each thing that was told.
    """

    def __init__(
        self,
        desk: Desk,
        attempt: int,
        *,
        now: float,
        told: "Callable[[Alert], None]" = lambda _: None,
    ) -> None:
        self._desk = desk
        self._attempt = attempt
        self._told = told
        self._begun = read_clock()
        self._next = now + LOOK_EVERY_SECONDS
        self._last_seen: dict[tuple[str, str], tuple[float, Severity]] = {}
        self._broken = False
        self._leaks: dict[str, tuple[float, str]] = {}

    def look(self, now: float, place: Place) -> "Alert | None":
        """What memory is about to end for; with `act`, a restart helps.

        Args:
            now: By a clock that only goes forward.
            place: How far the training is.
        """
        if now < self._next or self._broken:
            return None
        self._next = now + LOOK_EVERY_SECONDS
        try:
            alerts = self._detect()
        except Exception as error:  # a record that others wrote: it must not end the run
            self._broken = True
            self._desk.say(f"the detectors failed, so there are no alerts: {say_error(error)}")
            return None
        for alert in alerts:
            if self._is_new(alert, now):
                self._tell(alert, place)
            if alert.cause == LEAK:
                self._leaks[alert.code] = (now, alert.text)
        pressing = [self._restrict(alert) for alert in alerts if _is_pressing(alert)]
        return max(pressing, key=lambda alert: alert.act, default=None)

    @property
    def leaks(self) -> dict[str, str]:
        """What leaked in the last minutes, by code: at its very end, memory does not grow."""
        begin = self._next - _LEAKED_SECONDS
        return {code: text for code, (seen, text) in self._leaks.items() if seen >= begin}

    def _detect(self) -> "list[Alert]":
        from fitguard.monitor.detectors.framework.registry import detect

        paths = list_flight_records(self._desk.folder.flight_records)
        record: FlightRecord = read_flight_records(paths, pace=_PACE_SECONDS).since(self._begun)
        return detect(record)

    def _is_new(self, alert: "Alert", now: float) -> bool:
        """What goes on is not said again, unless it has become worse."""
        key = (alert.code, alert.subject)
        seen, severity = self._last_seen.get(key, (-_FORGOTTEN_AFTER_SECONDS, "info"))
        worse = SEVERITIES.index(alert.severity) < SEVERITIES.index(severity)
        is_new = now - seen >= _FORGOTTEN_AFTER_SECONDS or (key in self._last_seen and worse)
        self._last_seen[key] = (now, alert.severity)
        return is_new

    def _tell(self, alert: "Alert", place: Place) -> None:
        self._desk.record.add(
            Alerted(
                time=read_clock(),
                attempt=self._attempt,
                code=alert.code,
                slug=alert.slug,
                severity=alert.severity,
                confidence=alert.confidence,
                subject=alert.subject,
                title=alert.title,
                text=alert.text,
                fix=alert.fix,
                cause=alert.cause,
                numbers=alert.numbers,
                place=place,
            )
        )
        self._desk.say(f"{alert.code} {alert.title}. {alert.text} {alert.fix.text}")
        self._told(alert)

    def _restrict(self, alert: "Alert") -> "Alert":
        return msgspec.structs.replace(alert, act=alert.act and self._can_help(alert))

    def _can_help(self, alert: "Alert") -> bool:
        """A fresh process clears what grew; steps that take too much need a batch to split."""
        if alert.cause != "gpu-oom":
            return True
        # Loaded only now: a run without a fault needs none of the policy.
        from fitguard.supervise.past_attempts import list_past_attempts
        from fitguard.supervise.remedies import split_batch

        attempts = list_past_attempts(self._desk.record.events())
        if not attempts or attempts[-1].orders.exact_only:
            return False
        return split_batch(attempts[-1], attempts[-1].orders) is not None


def _is_pressing(alert: "Alert") -> bool:
    from fitguard.monitor.detectors.framework.settings import SETTINGS

    return alert.numbers.get("left_seconds", math.inf) < SETTINGS.act_seconds
