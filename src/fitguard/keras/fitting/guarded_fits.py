"""Numbers the `fit` calls of the process, and holds what they share."""

import contextlib
import functools
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.hooks import Service
from fitguard.contract.libraries import Library
from fitguard.contract.multi_worker import has_workers
from fitguard.inputs.models.together import describe_unguarded
from fitguard.keras.card import card_here
from fitguard.keras.fitting.assurance import Assurance
from fitguard.keras.fitting.guarded_call import GuardedCall
from fitguard.keras.fitting.learning_rate import with_learning_rate
from fitguard.keras.fitting.on_batch import GuardedOnBatch
from fitguard.keras.fitting.other_ways import OtherWays
from fitguard.keras.gang import find_company
from fitguard.keras.profiling import Profiler
from fitguard.keras.sampling import TrainingSampler
from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.pacing import Pacing
from fitguard.keras.snapshots.rooms import Rooms
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.snapshots.writer import SnapshotWriter
from fitguard.keras.sources import Sources
from fitguard.keras.state.callback_kinds import standing_back
from fitguard.keras.world import fit_begins, flush_files
from fitguard.schema.journal import INEXACT, Logged, SnapshotFailed, SnapshotWritten
from fitguard.schema.run import Place


class GuardedFits:
    """The outermost `fit` calls of a process, in the order in which they begin.

    A `fit` that a `fit` calls, in a callback or a train step, belongs to it and is left alone.

    Attributes:
        begun: Number of the last call that began.
        ended: Number of the last call that came to its end.
        several: Whether calls ran in several threads at once.
        company: Those that this process trains together with, if there are any.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.sources = Sources(session)
        self.store = SnapshotStore(
            session.folder.snapshots,
            self._tell_of_snapshots,
            session.orders.disk_bytes,
            session.require_lease,
            lambda: self.sources.attempts,
            lambda: self.company.list_complete(),
        )
        self.rooms = Rooms()
        self.writer = SnapshotWriter(
            self.store,
            on_written=self._on_written,
            on_failed=self._on_failed,
            prepare=self._prepare,
            released=self._take_back,
        )
        self.company = find_company(session, self.store, self.writer.wait)
        self.company.begin()
        self.card = card_here(os.environ)
        self.sampler = TrainingSampler(
            session.folder.flight_records / "child.record", session.orders.attempt, self.card
        )
        self.profiler = Profiler(session)
        self.pacing = Pacing(session.orders.snapshot_seconds)
        self.assurance = Assurance(session)
        self.other_ways = OtherWays(self._is_guarded, lambda: self.ended > 0, self.assurance.tell)
        self.on_batch = GuardedOnBatch(self)
        self.begun = 0
        self.ended = 0
        self.several = False
        self._running = 0
        self._lock = threading.Lock()
        self._here = threading.local()

    def _prepare(self) -> None:
        """Before a snapshot is written: may we, and is on the disk what it relies on?"""
        self.session.require_lease()
        flush_files()

    def _take_back(self, content: Content) -> None:
        """Its memory serves the next snapshot, as long as there will be one."""
        if self._running:
            self.rooms.take_back(content)

    @property
    def outermost(self) -> GuardedCall | None:
        """The call that runs in this thread."""
        calls = self._calls()
        return calls[0] if calls and self.session.is_here else None

    @property
    def current(self) -> GuardedCall | None:
        """That call; None inside of what it leaves alone."""
        calls = self._calls()
        return calls[-1] if calls and self.session.is_here else None

    @property
    def is_inside(self) -> bool:
        """Whether a call runs in this thread, or what is left alone."""
        return bool(self._calls())

    def _calls(self) -> list[GuardedCall | None]:
        calls: list[GuardedCall | None] = vars(self._here).setdefault("calls", [])
        return calls

    @contextlib.contextmanager
    def aside(self) -> Iterator[None]:
        """What is trained inside is left alone."""
        with self._as_current(None):
            yield

    @contextlib.contextmanager
    def _as_current(self, call: GuardedCall | None) -> Iterator[None]:
        self._calls().append(call)
        try:
            yield
        finally:
            self._calls().pop()

    def position(self) -> Any:
        """Of the data of the current call."""
        call = self.current
        return call.position if call is not None else None

    def next_number(self) -> int:
        """Of a `fit` call, or of a loop of the user's own, that begins."""
        self.sources.tell()
        fit_begins()
        with self._lock:
            self.begun += 1
            number = self.begun
        self.company.call_begins(number)
        return number

    def find_saved(self, fit: int, find_misfit: Callable[[Content], str]) -> Content | None:
        """What a training goes on from; `find_misfit`: says why a snapshot belongs to another."""
        saved = self.company.find_saved(fit, find_misfit)
        if saved is not None:
            self.sources.stand_on(saved.document.get("attempts"))
        return saved

    def fit(self, original: Callable[..., Any], library: Library) -> Callable[..., Any]:
        """The guarded `fit`."""

        @functools.wraps(original)
        def fit(model: Any, *args: Any, **kwargs: Any) -> Any:
            if not self.session.is_here:
                return original(model, *args, **kwargs)
            if self._calls() or not self._guards(library, model):
                with self.aside():
                    return original(model, *args, **kwargs)
            call = GuardedCall(self, self.next_number(), library, model)
            with self._as_current(call), self._counting(call), self.sampler.sampling():
                try:
                    return call.run(original, args, kwargs)
                finally:
                    self.profiler.end(call.place)

        return fit

    def _guards(self, library: Library, model: Any) -> bool:
        """Whether a `fit` of this model can be guarded; where it cannot, that is told."""
        if self.assurance.guards(library, workers=has_workers(model)):
            why_not = describe_unguarded(model)
            if not why_not:
                return True
            self.assurance.tell(f"{Service.FIT}, because {why_not}")
        self.company.note_unguarded()
        return False

    @contextlib.contextmanager
    def _counting(self, call: GuardedCall) -> Iterator[None]:
        with self._lock:
            self._running += 1
            self.several = self.several or self._running > 1
            self.session.heartbeat.change_answering(1)
        if self.several:
            self.session.note(
                INEXACT,
                "several fit calls train at the same time, in threads. They share random numbers "
                "in an order that changes, so a resumed run may differ",
            )
        try:
            yield
            self.ended = max(self.ended, call.place.fit)
        finally:
            with self._lock:
                self._running -= 1
                if not self._running:
                    self.rooms.clear()
                self.session.heartbeat.change_answering(-1)
            self._idle(call.place)

    def train_begins(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        """`CallbackList.on_train_begin`."""

        @functools.wraps(original)
        def on_train_begin(callbacks: Any, *args: Any, **kwargs: Any) -> Any:
            call = self.current
            if call is None:
                return original(callbacks, *args, **kwargs)
            with standing_back(callbacks.callbacks if call.is_resumed else ()):
                result = original(callbacks, *args, **kwargs)
            call.train_begins(callbacks.callbacks)
            return result

        return on_train_begin

    def epoch_ends(self, original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        """`CallbackList.on_epoch_end`."""

        @functools.wraps(original)
        def on_epoch_end(callbacks: Any, epoch: int, logs: Any = None, **more: Any) -> Any:
            call = self.current
            if call is None:
                return original(callbacks, epoch, logs, **more)
            # What callbacks do here may take as long as they like.
            self._idle(call.place)
            self.sampler.meter.pause()
            result = original(callbacks, epoch, logs, **more)
            model = getattr(callbacks, "model", None)
            self.log(call.place, with_learning_rate(logs, model), epoch_end=True)
            return result

        return on_epoch_end

    def _is_guarded(self) -> bool:
        """Whether training that does not use `fit` is no news: inside of one, in a loop's guard."""
        return bool(self._calls()) or self.begun > self.ended or not self.session.is_here

    def tell_if_none(self) -> None:
        """At the end of a script: say so where nothing of it was guarded."""
        if self.session.is_here and not self.begun:
            self.assurance.tell(self.other_ways.nothing_guarded())

    def begin(self, state_bytes: int) -> None:
        """A `fit` begins whose snapshots have this size."""
        self.pacing.expect(state_bytes)
        self.pacing.check_due(time.monotonic())

    def is_due(self, place: Place) -> bool:
        """Whether to take a snapshot; not while one waits for a slow disk."""
        wanted = self.pacing.check_due(time.monotonic()) and self.writer.wait(0)
        return self.company.is_due(place, wanted=wanted)

    def log(self, place: Place, logs: Any, *, epoch_end: bool = False) -> None:
        """Write numbers of Keras' logs into the journal."""
        numbers = as_numbers(logs)
        if numbers:
            self.session.record(Logged, place=place, logs=numbers, epoch_end=epoch_end)

    def _idle(self, place: Place) -> None:
        self.session.heartbeat.beat("idle", place.fit, place.epoch, place.step, place.total_steps)

    def _tell_of_snapshots(self, sentence: str) -> None:
        self.session.note("snapshot", sentence)

    def _on_written(
        self, place: Place, size_bytes: int, taking: float, writing: float, end: bool
    ) -> None:
        self.pacing.note_written(self.writer.last_cpu_seconds)
        if not end:
            self.session.heartbeat.note_saved(place.total_steps)
        # A kill may come before anything else is told.
        self.sources.tell()
        self.session.record(
            SnapshotWritten,
            place=place,
            bytes=size_bytes,
            taking_seconds=taking,
            writing_seconds=writing,
        )

    def _on_failed(self, place: Place, error: OSError) -> None:
        self.pacing.note_written(self.writer.last_cpu_seconds)
        self.session.record(SnapshotFailed, place=place, error=str(error))
        self.session.note(
            "snapshot",
            f"a snapshot could not be written: {error.strerror or error}. The training goes on, "
            "and the next one will be tried",
            fit=place.fit,
        )


def as_numbers(logs: Any) -> dict[str, float]:
    """What of Keras' logs is a number."""
    numbers: dict[str, float] = {}
    for name, value in logs.items() if isinstance(logs, dict) else ():
        try:
            numbers[str(name)] = float(value)
        except (TypeError, ValueError):
            continue
    # JSON knows no nan and no infinity.
    return {name: number for name, number in numbers.items() if math.isfinite(number)}
