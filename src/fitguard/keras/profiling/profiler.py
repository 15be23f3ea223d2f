"""Takes a trace of a few steps with TensorFlow's profiler."""

import contextlib
import time
from pathlib import Path
from typing import Any

from fitguard.contract.xplane import read_trace
from fitguard.keras.profiling.time_shares import describe_shares, find_shares
from fitguard.keras.session import Session
from fitguard.schema.journal import Profiled
from fitguard.schema.run import Place
from fitguard.words import say_error

_STEPS = 5
_MOST_BYTES = 256 << 20
_MOST_TRACES = 5


class Profiler:
    """Starts and stops between two steps: at a step that was named, and when the parent wishes.

    Args:
        session: Its orders say whether anything is to be traced at all.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._named = session.orders.profile
        traces = [event for event in session.events() if isinstance(event, Profiled)]
        self._count = len(traces)
        self._named_done = any(event.why == _describe_named(self._named) for event in traces)
        self._began: Place | None = None
        self._why = ""

    def between(self, place: Place) -> None:
        """Called between two steps; mostly it does nothing."""
        if self._named is None:
            return
        if self._began is not None:
            if (
                place.fit != self._began.fit
                or place.total_steps - self._began.total_steps >= _STEPS
            ):
                self._stop(place)
        elif why := self._find_reason(place):
            self._start(place, why)

    def end(self, place: Place) -> None:
        """Called when a `fit` ends: a trace must not outlive it."""
        if self._began is not None:
            self._stop(place)

    def _find_reason(self, place: Place) -> str:
        if self._count >= _MOST_TRACES:
            return ""
        if self._named and not self._named_done and place.total_steps >= self._named:
            self._named_done = True
            return _describe_named(self._named)
        if self._session.heartbeat.take_profile_wish():
            return "the steps after an alert"
        return ""

    def _start(self, place: Place, why: str) -> None:
        import tensorflow as tf

        self._count += 1
        name = f"attempt{self._session.orders.attempt}-fit{place.fit}-step{place.total_steps}"
        self._folder = self._session.folder.profiles / name
        try:
            tf.profiler.experimental.start(str(self._folder))
        except (tf.errors.OpError, RuntimeError) as error:
            # A TensorBoard callback of the script may profile just now.
            self._session.say(f"no profile of {why}: {say_error(error)}")
            return
        self._began, self._why, self._started = place, why, time.monotonic()

    def _stop(self, place: Place) -> None:
        import tensorflow as tf

        began, self._began = self._began, None
        assert began is not None
        steps = place.total_steps - began.total_steps if place.fit == began.fit else 0
        try:
            tf.profiler.experimental.stop()
        except (tf.errors.OpError, RuntimeError) as error:
            self._session.say(f"no profile of {self._why}: {say_error(error)}")
            return
        file = next(iter(self._folder.rglob("*.xplane.pb")), None)
        told = _read(file, steps)
        text = f"Profile of {self._why}: {told.get('text', 'see the trace')}"
        shares: Any = told.get("shares", {})
        self._session.record(
            Profiled,
            place=began,
            why=self._why,
            steps=steps,
            folder=str(self._folder.relative_to(self._session.folder.path)),
            text=text,
            shares=shares,
        )
        self._session.say(f"{text}. The trace is in {self._folder}")


def _describe_named(step: int | None) -> str:
    return f"step {step}"


def _read(file: Path | None, steps: int) -> dict[str, Any]:
    """What the trace says; nothing where it cannot be read."""
    with contextlib.suppress(OSError, ValueError, ImportError):
        if file is not None and file.stat().st_size <= _MOST_BYTES:
            seconds, shares = find_shares(read_trace(file))
            return {"shares": shares, "text": describe_shares(steps, seconds, shares)}
    return {}
