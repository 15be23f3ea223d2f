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
from fitguard.keras.fitting.other_ways import OtherWays
from fitguard.keras.fitting.recording import as_number
from fitguard.keras.gang import gang_of
from fitguard.keras.profiling import Profiler
from fitguard.keras.sampling import TrainingSampler
from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.pacing import Pacing
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.keras.snapshots.writer import SnapshotWriter
from fitguard.keras.sources import Sources
from fitguard.keras.state.callback_kinds import standing_back
from fitguard.keras.world import fit_begins, flush_files
from fitguard.monitor.heartbeat import Wish
from fitguard.schema.journal import INEXACT, Logged, SnapshotFailed, SnapshotWritten
from fitguard.schema.run import Place


class GuardedFits:
    """The outermost `fit` calls of a process, in the order in which they begin.

    A `fit` that a `fit` calls, in a callback or a train step, belongs to it and is left alone.

    Attributes:
        begun: Number of the last call that began.
        ended: Number of the last call that came to its end.
        several: Whether calls ran in several threads at once.
        gang: Where several workers train together; None for a training of its own.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.sources = Sources(session)
        self.gang = gang_of(session)
        self.store = SnapshotStore(
            session.folder.snapshots,
            self._tell_of_snapshots,
            session.orders.disk_bytes,
            session.require_lease,
            lambda: self.sources.attempts,
            self.gang.list_complete if self.gang is not None else None,
        )
        if self.gang is not None:
            self.gang.begin(self.store)
        self.writer = SnapshotWriter(
            self.store,
            on_written=self._on_written,
            on_failed=self._on_failed,
            prepare=self._prepare,
        )
        self.card = card_here(os.environ)
        self.sampler = TrainingSampler(
            session.folder.flight_records / "child.record", session.orders.attempt, self.card
        )
        self.profiler = Profiler(session)
        self.pacing = Pacing(session.orders.snapshot_seconds)
        self.assurance = Assurance(session)
        self.other_ways = OtherWays(self._is_guarded, lambda: self.ended > 0, self.assurance.tell)
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
        if self.gang is not None:
            self.gang.call_begins(number)
        return number

    def find_saved(self, fit: int, find_misfit: Callable[[Content], str]) -> Content | None:
        """The furthest snapshot of a training; those of another are set aside.

        Args:
            find_misfit: Says why one belongs to another; empty where it does not.
        """
        if self.gang is not None:
            agreed = self.gang.find_saved(fit, find_misfit)
            if agreed is not None:
                self.sources.stand_on(agreed.document.get("attempts"))
            return agreed
        while (saved := self.store.newest(fit)) is not None:
            why_not = find_misfit(saved)
            if not why_not:
                self.sources.stand_on(saved.document.get("attempts"))
                return saved
            self.reject(saved, why_not)
        return None

    def reject(self, content: Content, why: str) -> None:
        """Set the snapshots of a `fit`, and of those after it, aside."""
        if self.gang is not None:
            self.gang.reject(content, why)
        fit: int = content.document["place"]["fit"]
        kept = self.store.set_aside(fit, later=not content.document.get("several"))
        self.session.note(
            INEXACT,
            f"the snapshot of fit call {fit} does not fit this training: {why} It is kept in "
            f"{kept}, and used again when the script that wrote it resumes this run. Does the "
            "script build its model the same way each time?",
            fit=fit,
        )

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
        if self.gang is not None:
            self.gang.note_unguarded()
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
        return wanted if self.gang is None else self.gang.is_due(place, wanted=wanted)

    def read_wish(self, place: Place) -> Wish:
        """What is to be done between these two steps."""
        wish = self.session.heartbeat.read_wish()
        if self.gang is None:
            return wish
        self.gang.arrive(place)
        return self.gang.heed(wish, place)

    def is_leaving(self, fit: int) -> bool:
        """Whether to leave at the end of a call."""
        at_end = self.gang is not None and self.gang.leaves_at_end(fit)
        return at_end or self.session.heartbeat.read_wish() == "leave"

    def describe_gang(self) -> dict[str, Any]:
        """What a snapshot says of those that trained."""
        return {"workers": self.gang.size} if self.gang is not None else {}

    def describe_resized(self, content: Content, position: Any) -> list[str]:
        """Why a snapshot is not exact that more or fewer workers have taken; `position`: here."""
        if self.gang is None:
            return []
        size = getattr(position, "batch_size", None), getattr(position, "steps_per_epoch", None)
        return self.gang.describe_resized(content, *map(as_number, size))

    def note_end(self, fit: int) -> None:
        """A call has come to its end, now or in an earlier attempt."""
        if self.gang is not None:
            self.gang.call_ends(fit)

    def is_end_worth(self, fit: int, trained_seconds: float) -> bool:
        """Whether the end of a call is worth the disk; workers of a gang need all ends."""
        return self.pacing.is_worth(trained_seconds) if self.gang is None else self.keeps_end(fit)

    def keeps_end(self, fit: int) -> bool:
        """Whether the end of a call can be gone on from: not by a gang that lacks one before it."""
        if self.gang is None:
            return True
        self.writer.wait()
        return self.gang.keeps(fit)

    def is_end_affordable(self, now: float) -> bool:
        """Whether it is worth the time."""
        return self.gang is not None or self.pacing.is_affordable(now)

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
