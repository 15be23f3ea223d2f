"""Writes into the flight record what the training process knows of itself."""

import atexit
import contextlib
import math
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from fitguard.keras.card import Card
from fitguard.keras.sampling.allocator import Allocator
from fitguard.keras.sampling.step_meter import StepMeter
from fitguard.keras.sampling.traces import TraceCounter
from fitguard.monitor.flight_recorder import FlightRecorder
from fitguard.monitor.sampling.forward_clock import ForwardClock
from fitguard.monitor.sampling.host import Values
from fitguard.schema.run import Place

OFTEN_SECONDS = 0.1
RARELY_SECONDS = 1.0
COLUMNS = (
    *("attempt", "fit", "epoch", "step_seconds", "slowest_step_seconds", "input_seconds", "loss"),
    *("batch_elements", "traces", "allocator_bytes", "allocator_low_bytes"),
    *("allocator_peak_bytes", "allocator_limit_bytes"),
)


class TrainingSampler:
    """A thread that lives while something trains.

    Args:
        path: Of the flight record.
        attempt: Its number.
        card: The memory that is here; None where nobody knows.

    Attributes:
        meter: Is told of each step.
    """

    def __init__(self, path: Path, attempt: int, card: Card | None) -> None:
        self._path = path
        self._attempt = attempt
        self._card = card
        self._clock = ForwardClock()
        self._recorder: FlightRecorder | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._users = 0
        self._step: Callable[[], Any] = lambda: None
        self._traces = TraceCounter()
        self.meter = StepMeter()

    def follow(self, step: Any) -> None:
        """This is the step that trains now. It is not held: a model that is gone is freed.

        Args:
            step: Has `native`, Keras' train function, and `last_logs`.
        """
        self._step = weakref.ref(step)

    @contextlib.contextmanager
    def sampling(self) -> Iterator[None]:
        """Sample what is trained inside."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def begin(self) -> None:
        """Something trains from now on."""
        with self._lock:
            self._users += 1
            if self._thread is None:
                self._start()

    def end(self) -> None:
        """It has ended."""
        with self._lock:
            self._users -= 1
            if not self._users:
                self.stop()

    def stop(self) -> None:
        """No more samples; TensorFlow is not asked any more."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._stopping.set()
            thread.join(5)

    def close(self) -> None:
        """Nothing trains any more."""
        self.stop()
        if self._recorder is not None:
            self._recorder.close()

    def _start(self) -> None:
        self._stopping = threading.Event()
        if self._recorder is None:
            self._recorder = FlightRecorder(self._path, COLUMNS)
            # TensorFlow ends before threads like this one do.
            atexit.register(self.close)
        self._thread = threading.Thread(
            target=self._run, args=(self._stopping,), name="fitguard-sampler", daemon=True
        )
        self._thread.start()

    def _run(self, stopping: threading.Event) -> None:
        rarely_at = next_at = time.monotonic()
        while not stopping.wait(max(0.0, next_at - time.monotonic())):
            moment = time.monotonic()
            next_at = max(next_at + OFTEN_SECONDS, moment)
            values = self._read_often()
            if moment >= rarely_at:
                rarely_at = moment + RARELY_SECONDS
                values |= self._read_rarely()
            self._write(values)
        self._write(self._read_often())

    def _write(self, values: Values) -> None:
        place: Place = self.meter.place
        values |= {"attempt": self._attempt, "fit": place.fit, "epoch": place.epoch}
        assert self._recorder is not None
        self._recorder.add(self._clock.read(), place.total_steps, values)

    def _read_often(self) -> Values:
        meter = self.meter
        values = meter.take()
        held = meter.allocator.read() if meter.allocator is not None else None
        if held is not None:
            values["allocator_bytes"] = held["current"]
            # In the middle of a step that lasts long, what it has taken so far.
            values.setdefault("allocator_peak_bytes", held["peak"])
            meter.wants_peak = True
        return values

    def _read_rarely(self) -> Values:
        meter = self.meter
        values: Values = {}
        if (step := self._step()) is not None:
            values["loss"] = _read_loss(step.last_logs)
            values["traces"] = self._traces.count(step.native)
        if meter.allocator is not None:
            meter.allocator.find_fullest()
            values["allocator_limit_bytes"] = meter.allocator.limit_bytes
        elif self._card is not None and meter.place.total_steps:
            # After the first step, TensorFlow's devices are made and no setting can come too late.
            meter.allocator = Allocator(self._card)
        return values


def _read_loss(logs: Any) -> float | None:
    """Waits for a step that still runs on the GPU; in this thread, not in that of the training."""
    with contextlib.suppress(Exception):
        loss = float(logs["loss"])
        return math.inf if math.isnan(loss) else loss  # nan means: not measured
    return None
