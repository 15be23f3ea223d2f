"""What planning costs: seconds, also against real steps on the CPU, and memory.

    make bench

Planning is compared with two training steps of the same batch on the CPU of the same machine, in
the same run; the first step, which also traces, is not counted. Its memory must not grow with the
batch. Each figure is taken in a process of its own; importing and building the model do not count,
and are told beside it. On a busy machine, look at the seconds of the processor.
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
MOST_SECONDS, MOST_SECONDS_DEEP, MOST_GROWTH = 5.0, 8.0, 1.1
LAYERS = 500
STEP_BYTES = 12_000_000_000
LOSS = "sparse_categorical_crossentropy"


def main() -> None:
    """Measure in children, print, exit with 1 where a target is missed."""
    planned = child("plan", BATCH)
    met = [within("ResNet50", planned, MOST_SECONDS)]
    met.append(within(f"{LAYERS} layers", child("plan-deep", BATCH), MOST_SECONDS_DEEP))
    if available_bytes() < STEP_BYTES:
        print("two steps on the CPU: not measured, as the memory has no room for them")
    else:
        met.append(against_steps(planned["seconds"]))
    met.append(same_memory())
    sys.exit(not all(met))


def within(name: str, planned: dict[str, float], most: float) -> bool:
    """Whether it took no longer than that."""
    met = planned["seconds"] <= most
    print(
        f"planning {name} at {BATCH}: {planned['seconds']:.1f} s, of the processor "
        f"{planned['cpu_seconds']:.1f} s: {verdict(met)}; before that, start, imports and the "
        f"model took {planned['before_seconds']:.1f} s"
    )
    return met


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
    import psutil

    deep = task == "plan-deep"
    model = build_deep() if deep else keras.applications.ResNet50(weights=None, classes=10)
    before = time.time() - psutil.Process().create_time()
    reset_peak()
    started = time.process_time()
    seconds = TASKS[task](model, batch)
    answer = {"seconds": seconds, "cpu_seconds": time.process_time() - started}
    print(json.dumps(answer | {"before_seconds": before, "peak_bytes": memory_bytes("VmHWM")}))


def build_deep() -> Any:
    """Residual blocks of four layers, one after the other."""
    import keras

    features = keras.Input((128,))
    x = features
    for _ in range(LAYERS // 4):
        y = keras.layers.LayerNormalization()(x)
        y = keras.layers.Dense(128)(keras.layers.Dense(256, activation="gelu")(y))
        x = keras.layers.Add()([x, y])
    return keras.Model(features, keras.layers.Dense(10, activation="softmax")(x))


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


TASKS: dict[str, Callable[[Any, int], float]] = {
    "plan": plan_seconds,
    "plan-deep": plan_seconds,
    "steps": steps_seconds,
}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_task(sys.argv[1], int(sys.argv[2]))
    else:
        main()
