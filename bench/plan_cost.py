"""What planning ResNet50 costs: seconds, also against real steps on the CPU, and memory.

    make bench

Planning is compared with two training steps of the same batch on the CPU of the same machine, in
the same run; the first step, which also traces, is not counted. Its memory must not grow with the
batch. Each figure is taken in a process of its own; importing and building the model do not count.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from memory_use import available_bytes, memory_bytes, reset_peak, verdict

BATCH, SMALL_BATCH, LARGE_BATCH = 64, 8, 1024
MOST_SECONDS, MOST_GROWTH = 10.0, 1.1
STEP_BYTES = 12_000_000_000
LOSS = "sparse_categorical_crossentropy"


def main() -> None:
    """Measure in children, print, exit with 1 where a target is missed."""
    planned = child("plan", BATCH)
    met = [planned["seconds"] <= MOST_SECONDS]
    print(f"planning ResNet50 at {BATCH}: {planned['seconds']:.1f} s: {verdict(met[0])}")
    if available_bytes() < STEP_BYTES:
        print("two steps on the CPU: not measured, as the memory has no room for them")
    else:
        met.append(against_steps(planned["seconds"]))
    met.append(same_memory())
    sys.exit(not all(met))


def against_steps(seconds: float) -> bool:
    """Whether planning is quicker than two real steps."""
    steps = child("steps", BATCH)["seconds"]
    met = seconds < steps
    ratio = f"planning / two steps: {seconds / steps:.2f}"
    print(f"two steps on the CPU: {steps:.1f} s; {ratio}: {verdict(met)}")
    return met


def same_memory() -> bool:
    """Whether planning a large batch takes the memory that a small one takes."""
    small, large = (child("plan", batch)["peak_bytes"] for batch in (SMALL_BATCH, LARGE_BATCH))
    met = large <= MOST_GROWTH * small
    print(
        f"peak memory of planning: {small / 1e6:.0f} MB at {SMALL_BATCH}, {large / 1e6:.0f} MB at "
        f"{LARGE_BATCH}; ratio {large / small:.2f}: {verdict(met)}"
    )
    return met


def child(task: str, batch: int) -> dict[str, float]:
    """Run a task of this file in a process of its own."""
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, __file__, task, str(batch)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def run_task(task: str, batch: int) -> None:
    """In the child: build the model, do the task, print what it took."""
    import keras

    model = keras.applications.ResNet50(weights=None, classes=10)
    reset_peak()
    seconds = TASKS[task](model, batch)
    print(json.dumps({"seconds": seconds, "peak_bytes": memory_bytes("VmHWM")}))


def plan_seconds(model: Any, batch: int) -> float:
    """As a user would call it, advice included."""
    import fitguard

    started = time.perf_counter()
    fitguard.plan(model, batch_size=batch, optimizer="adam", loss=LOSS, jit_compile=False)
    return time.perf_counter() - started


def steps_seconds(model: Any, batch: int) -> float:
    """Two real training steps, after one that also traces."""
    import numpy as np

    random = np.random.default_rng(0)
    x = random.random((batch, *model.input_shape[1:]), dtype="float32")
    y = random.integers(0, 10, batch)
    model.compile(optimizer="adam", loss=LOSS, jit_compile=False)
    model.train_on_batch(x, y)
    started = time.perf_counter()
    for _ in range(2):
        model.train_on_batch(x, y)
    return time.perf_counter() - started


TASKS: dict[str, Callable[[Any, int], float]] = {"plan": plan_seconds, "steps": steps_seconds}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_task(sys.argv[1], int(sys.argv[2]))
    else:
        main()
