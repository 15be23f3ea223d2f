"""Steps of one network in several ways in one process: a JSON line for each on stdout.

    steps.py resnet50 --ways plain,plain,0.5,0.34,parts:16,parts:32:0.5

A way is `plain`, a share of memory (recomputed), `parts:ROWS`, or `parts:ROWS:SHARE`. All memory is
measured first. Times are taken when `GO` is there, and by one process after the other.
"""

import argparse
import fcntl
import json
import time
from pathlib import Path

import numpy as np
import tensorflow as tf
from recompute.distances import off
from recompute.models import draw_batch, make

from fitguard.keras.fitting.recomputed_step import RecomputedStep
from fitguard.keras.microbatch import MicroTrainStep

DEVICE = "GPU:0" if tf.config.list_physical_devices("GPU") else "CPU:0"
TIMED = 10


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--ways", default="plain,0.5,0.34")
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--side", type=int, default=224)
    parser.add_argument("--rows", type=int, default=64)
    parser.add_argument("--limit-mib", type=int)
    parser.add_argument("--lock", default="/tmp/time-lock")
    parser.add_argument("--go", help="a file: times are taken once it is there")
    given = parser.parse_args()
    if given.limit_mib:
        gpu = tf.config.list_physical_devices("GPU")[0]
        limit = tf.config.LogicalDeviceConfiguration(memory_limit=given.limit_mib)
        tf.config.set_logical_device_configuration(gpu, [limit])
    batch = tuple(map(tf.constant, draw_batch(given.model, given.side, given.rows)))
    begin = make(given.model, given.side, jit=given.jit).get_weights()
    reference, ready = None, []
    for way in given.ways.split(","):
        row = {"model": given.model, "way": way, "jit": given.jit, "rows": given.rows}
        try:
            step, weights = measure(given, way, batch, row)
        except Exception as error:
            say(row | {"failed": f"{type(error).__name__}: {error}"[:300]})
            continue
        reference = weights if reference is None else reference
        row["off"] = off(weights, reference) / off(reference, begin)
        say(row)
        ready.append((way, step))
    print("ready", flush=True)
    while given.go and not Path(given.go).exists():
        time.sleep(0.2)
    with Path(given.lock).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for way, step in ready:
            say(
                {"model": given.model, "way": way, "jit": given.jit, "rows": given.rows}
                | {"seconds": clock(step, batch)}
            )


def measure(given, way, batch, row):
    """The step, and the weights after its first one; what it takes goes into the row."""
    model = make(given.model, given.side, jit=given.jit)
    step = choose(model, way)
    began = time.perf_counter()
    finish(step(batch))
    row["first_seconds"] = time.perf_counter() - began
    weights = model.get_weights()
    tf.config.experimental.reset_memory_stats(DEVICE)
    before = tf.config.experimental.get_memory_info(DEVICE)["current"]
    finish(step(batch))
    info = tf.config.experimental.get_memory_info(DEVICE)
    row |= {"peak_bytes": info["peak"] - before, "state_bytes": before}
    made = getattr(step, "way", None)
    if made is not None:
        row |= {"share": made.share, "extra": made.extra, "count": made.count}
    return step, weights


def choose(model, way):
    if way.startswith("plain"):

        @tf.function(autograph=False, jit_compile=model.jit_compile)
        def whole(images, labels):
            return model.train_step((images, labels))

        return lambda batch: whole(*batch)
    if way.startswith("parts"):
        _, rows, *share = way.split(":")
        micro = MicroTrainStep(model, share=float(share[0]) if share else None)
        return lambda batch: micro(batch, int(rows))
    return RecomputedStep(model, float(way))


def clock(step, batch):
    finish(step(batch))
    seconds = []
    for _ in range(TIMED):
        began = time.perf_counter()
        finish(step(batch))
        seconds.append(time.perf_counter() - began)
    return float(np.median(seconds))


def finish(logs):
    """Wait for the device."""
    return [float(tf.reduce_sum(one)) for one in tf.nest.flatten(logs)]


def say(row):
    print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
