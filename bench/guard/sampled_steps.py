"""Steps with and without the sampler side by side: `sampled_steps.py FOLDER BLOCKS`.

One guarded `fit`; the sampler is switched on and off every second. Prints JSON: seconds of a step
in each block, by the wall and of the training's thread, and what the sampler's thread took. The
GPU's allocator class is in use, so that each step asks it as on a GPU.
"""

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

os.environ.update(
    TF_CPU_ALLOCATOR_USE_BFC="1",
    TF_CPU_BFC_MEM_LIMIT_IN_MB="2000",
    CUDA_VISIBLE_DEVICES="-1",
    TF_CPP_MIN_LOG_LEVEL="3",
)

import keras
import msgspec
import numpy as np

from fitguard.keras.fitting.wrapping import current_fits, guarding
from fitguard.keras.sampling.step_meter import StepMeter
from fitguard.keras.session import Session
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.journal import Orders

STEP_SECONDS, BLOCK_SECONDS, ROWS = 0.005, 1.0, 64


class NoMeter(StepMeter):
    """Measures nothing."""

    def step_ends(self, place: Any) -> None:
        """Nothing."""

    def step_begins(self, place: Any) -> None:
        """Nothing."""

    def is_input_due(self) -> bool:
        """Never."""
        return False


class Switching(keras.callbacks.Callback):
    """Switches the sampler after so many steps, and notes what they took."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        fits = current_fits()
        assert fits is not None
        self.sampler = fits.sampler
        self.meters = {"on": fits.sampler.meter, "off": NoMeter()}
        self.way = "on"
        self.steps = steps
        self.left = 0
        self.found: dict[str, list[tuple[float, float]]] = {"on": [], "off": []}
        self.sampler_seconds = 0.0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        """Between two steps."""
        self.left -= 1
        if self.left > 0:
            return
        if batch >= self.steps:
            wall, cpu = time.perf_counter() - self.wall, time.thread_time() - self.cpu
            self.found[self.way].append((wall / self.steps, cpu / self.steps))
        if self.way == "on":
            self.sampler_seconds += read_seconds_of_thread(self.sampler)
            self.sampler.end()
        else:
            self.sampler.begin()
        self.way = "off" if self.way == "on" else "on"
        self.sampler.meter = self.meters[self.way]
        self.left = self.steps
        self.wall, self.cpu = time.perf_counter(), time.thread_time()


def read_seconds_of_thread(sampler: Any) -> float:
    """Processor time of the sampler's thread."""
    return time.clock_gettime(time.pthread_getcpuclockid(sampler._thread.ident))


def build(width: int) -> Any:
    """Two layers of this width: the step is as long as they are wide."""
    keras.utils.set_random_seed(1)
    layers = [keras.layers.Dense(width, activation="relu") for _ in range(2)]
    model = keras.Sequential([keras.Input((128,)), *layers, keras.layers.Dense(1)])
    model.compile("sgd", "mse", jit_compile=False)
    return model


def train(model: Any, steps: int, *callbacks: Any) -> float:
    """Seconds of a step."""
    x, y = np.ones((ROWS, 128), "float32"), np.ones((ROWS, 1), "float32")
    import tensorflow as tf

    data = tf.data.Dataset.from_tensors((x, y)).repeat()
    model.fit(data, steps_per_epoch=2, verbose=0)  # traces
    began = time.perf_counter()
    model.fit(data, steps_per_epoch=steps, verbose=0, callbacks=list(callbacks))
    return (time.perf_counter() - began) / steps


def find_step_seconds(model: Any) -> float:
    """Of the fastest of some short trainings: a busy moment makes no long step."""
    return min(train(model, 10) for _ in range(5))


def main() -> None:
    """Find a model with steps of that length, then alternate."""
    folder, blocks = Path(sys.argv[1]), int(sys.argv[2])
    width = 256
    while (taken := find_step_seconds(model := build(width))) < STEP_SECONDS * 0.9:
        width = int(width * 1.25)
    steps = round(BLOCK_SECONDS / taken)
    run = RunFolder(folder / "run")
    run.path.mkdir()
    run.orders.write_bytes(msgspec.json.encode(Orders(attempt=1, seed=1, snapshot_seconds=1e6)))
    Heartbeat(run.heartbeat, create=True).close()
    with guarding(Session.of(run)):
        switching = Switching(steps)
        train(model, steps * blocks + 1, switching)
    found = {**switching.found, "sampler_seconds": switching.sampler_seconds}
    print(json.dumps({"steps": steps, "width": width, **found}))


if __name__ == "__main__":
    main()
