"""What fitguard does in each step: `step_profile.py OUT KIND STEP_SECONDS BLOCKS`, guarded.

Fits that are guarded and fits that are left alone take turns in one process, so that a busy moment
hits both. Then one fit with clocks around what Keras calls of fitguard, without what that calls of
Keras; and one in which each call of a function of fitguard is counted.
"""

import itertools
import json
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import tensorflow as tf

import fitguard
from fitguard.keras.fitting.step import GuardedStep
from fitguard.keras.fitting.wrapping import current_fits
from fitguard.keras.position.epochs import Epochs3

ROWS, COLUMNS = 64, 128
BLOCK_SECONDS, WARM_STEPS, COUNTED_STEPS = 1.0, 10, 200
_OURS = str(Path(fitguard.__file__).parent)


class OwnStep(keras.Sequential):
    """A training step as users write it."""

    def train_step(self, data: Any) -> Any:
        """As in Keras' guide."""
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=self(x, training=True))
        gradients = tape.gradient(loss, self.trainable_weights)
        self.optimizer.apply(gradients, self.trainable_weights)
        return {"loss": loss}


class Batches(keras.utils.PyDataset):
    """The same batch again and again."""

    def __init__(self, steps: int, batch: tuple[Any, Any]) -> None:
        super().__init__()
        self.steps, self.batch = steps, batch

    def __len__(self) -> int:
        return self.steps

    def __getitem__(self, number: int) -> Any:
        return self.batch


class Clock(keras.callbacks.Callback):
    """Seconds of each step, from its begin to that of the next."""

    def __init__(self) -> None:
        super().__init__()
        self.moments: list[float] = []

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        self.moments.append(time.perf_counter())

    def seconds(self) -> float:
        """The median step, without the first ones."""
        return float(np.median(self.steps()))

    def steps(self) -> Any:
        """Each of them."""
        return np.diff(self.moments[WARM_STEPS:])


class Probe:
    """Nanoseconds inside of fitguard in each step, by the wall and of this thread."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int]] = []
        self._now = [0, 0]

    def inside(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Count the time of a call."""
        return self._timed(function, 1)

    def outside(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Do not count it: Keras and TensorFlow do there what they do without us."""
        return self._timed(function, -1)

    def next_step(self) -> None:
        """What was counted is that of a whole step."""
        self.steps.append((self._now[0], self._now[1]))
        self._now = [0, 0]

    def _timed(self, function: Callable[..., Any], sign: int) -> Callable[..., Any]:
        wall, cpu = time.perf_counter_ns, time.thread_time_ns

        def timed(*arguments: Any) -> Any:
            now = self._now
            begun, begun_cpu = wall(), cpu()
            try:
                return function(*arguments)
            finally:
                now[1] += sign * (cpu() - begun_cpu)
                now[0] += sign * (wall() - begun)

        return timed


class Each:
    """An iterator that is asked by a function."""

    def __init__(self, ask: Callable[[], Any]) -> None:
        self._ask = ask

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self._ask()


def measure_probe() -> tuple[float, float]:
    """What a step costs by the probes alone."""
    probe = Probe()
    inner, done = probe.outside(lambda: None), iter(int, 1)
    calls = [probe.inside(lambda: inner()), probe.inside(lambda: inner())]
    for _ in range(20_000):
        for call in calls:
            call()
        next(done)
        probe.next_step()
    return summarize(probe.steps)


def summarize(steps: list[tuple[int, int]]) -> tuple[float, float]:
    """The median by the wall, and the mean of this thread, in microseconds."""
    walls, threads = np.array(steps[WARM_STEPS:]).T / 1e3
    return float(np.median(walls)), float(np.mean(threads))


def profile(train: Callable[..., None]) -> dict[str, Any]:
    """Microseconds inside of fitguard, and its threads meanwhile."""
    probe, steps_of, call = Probe(), Epochs3.steps, GuardedStep.__call__

    def steps(self: Any, elements_of: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        def elements() -> Iterator[Any]:
            return Each(probe.outside(iter(elements_of()).__next__))

        own = steps_of(self, elements)
        return Each(probe.inside(own.__next__))

    def called(self: Any, iterator: Any) -> Any:
        if "timed" not in vars(self):
            self.timed, self._native = True, probe.outside(self._native)
        return timed_call(self, iterator)

    timed_call = probe.inside(call)
    Epochs3.steps, GuardedStep.__call__ = steps, called  # type: ignore[method-assign]
    threads = Threads(probe.next_step)
    try:
        train(threads)
    finally:
        Epochs3.steps, GuardedStep.__call__ = steps_of, call  # type: ignore[method-assign]
    wall, cpu = summarize(probe.steps)
    return {"wall": wall, "cpu": cpu, **threads.found}


class Threads(keras.callbacks.Callback):
    """How often threads of fitguard wake, and what processor time they take, in each second."""

    def __init__(self, stepped: Callable[[], None]) -> None:
        super().__init__()
        self._stepped = stepped
        self.found: dict[str, float] = {}

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        if batch == WARM_STEPS:
            self._began = self._last = (time.monotonic(), *_read_threads())
        self._stepped()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        if batch > WARM_STEPS and batch % 50 == 0:
            self._last = (time.monotonic(), *_read_threads())

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:  # noqa: ARG002
        moment, wakes, cpu = self._last
        seconds = moment - self._began[0]
        self.found = {
            "wakes": (wakes - self._began[1]) / seconds,
            "thread_cpu": (cpu - self._began[2]) / seconds,
        }


def _read_threads() -> tuple[int, float]:
    wakes, cpu = 0, 0.0
    for thread in threading.enumerate():
        if thread.name.startswith("fitguard") and thread.ident is not None:
            status = Path(f"/proc/self/task/{thread.native_id}/status").read_text()
            wakes += int(status.partition("voluntary_ctxt_switches:")[2].split()[0])
            cpu += time.clock_gettime(time.pthread_getcpuclockid(thread.ident))
    return wakes, cpu


def count_calls(train: Callable[..., None]) -> dict[str, float]:
    """Functions of fitguard that this thread calls, and how often in a step."""
    counts: Counter[str] = Counter()

    class Counting(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            if batch == WARM_STEPS:
                sys.setprofile(note)
            elif batch == WARM_STEPS + COUNTED_STEPS:
                sys.setprofile(None)

    def note(frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(_OURS):
            place = Path(code.co_filename).relative_to(_OURS).with_suffix("")
            counts[f"{place}:{code.co_qualname}"] += 1

    train(Counting())
    # Fewer are those of a snapshot.
    each = [(name, count / COUNTED_STEPS) for name, count in counts.most_common()]
    return {name: count for name, count in each if count >= 0.9}


def build(kind: str, width: int) -> Any:
    """Two layers of this width: the step is as long as they are wide."""
    keras.utils.set_random_seed(1)
    layers = [keras.layers.Dense(width, activation="relu") for _ in range(2)]
    cls = OwnStep if kind == "train_step" else keras.Sequential
    model = cls([keras.Input((COLUMNS,)), *layers, keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    return model


def fit_on(kind: str, model: Any, steps: int, *callbacks: Any) -> None:
    """One epoch."""
    batch = np.ones((ROWS, COLUMNS), "float32"), np.ones((ROWS, 1), "float32")
    more: dict[str, Any] = {"verbose": 0, "callbacks": list(callbacks)}
    if kind in ("dataset", "train_step"):
        data: Any = tf.data.Dataset.from_tensors(batch).repeat()
        model.fit(data, steps_per_epoch=steps, **more)
    elif kind == "generator":
        model.fit((batch for _ in itertools.count()), steps_per_epoch=steps, **more)
    elif kind == "pydataset":
        model.fit(Batches(steps, batch), shuffle=False, **more)
    else:
        x = np.ones((ROWS * steps, COLUMNS), "float32")
        model.fit(x, x[:, :1], batch_size=ROWS, **more)


def find_width(seconds: float) -> int:
    """Of layers whose step takes so long, where it is not disturbed: others may be busy here."""
    width = 16
    while True:
        clock = Clock()
        fit_on("dataset", build("dataset", width), 100, clock)
        if np.percentile(clock.steps(), 10) >= seconds * 0.9 or width > 4000:
            return width
        width = int(width * 1.2)


def main() -> None:
    """Measure, and write JSON."""
    out, kind, seconds, blocks = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    fits = current_fits()
    assert fits is not None
    with fits.aside():
        width = find_width(seconds)
        model = build(kind, width)
        fit_on(kind, model, 20)
    steps = max(round(BLOCK_SECONDS / seconds), WARM_STEPS + 50)
    pairs = []
    for number in range(blocks):
        found: dict[str, float] = {}
        for way in ("plain", "guarded") if number % 2 else ("guarded", "plain"):
            clock = Clock()
            if way == "plain":
                with fits.aside():
                    fit_on(kind, model, steps, clock)
            else:
                fit_on(kind, model, steps, clock)
            found[way] = clock.seconds()
        pairs.append(found)
    wall, cpu = measure_probe()
    own = profile(lambda *callbacks: fit_on(kind, model, 4 * steps, *callbacks))
    own |= {"wall": own["wall"] - wall, "cpu": own["cpu"] - cpu}
    calls = count_calls(
        lambda *callbacks: fit_on(kind, model, WARM_STEPS + COUNTED_STEPS + 10, *callbacks)
    )
    Path(out).write_text(json.dumps({"pairs": pairs, **own, "calls": calls, "width": width}))


if __name__ == "__main__":
    main()
