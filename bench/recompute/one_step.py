"""A few steps of one network in a process of its own: a JSON line on stdout, weights in a file.

TF_CPU_ALLOCATOR_USE_BFC=1 .venv/bin/python bench/recompute/one_step.py resnet50 --share 0.5
"""

import argparse
import json
import time

import numpy as np
import tensorflow as tf
from recompute.models import MODELS, draw_batch, make

from fitguard.keras.fitting.recomputed_step import RecomputedStep


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("--share", type=float, help="recompute; without it the step is as it is")
    parser.add_argument("--parts", type=int, help="micro-batches of so many rows")
    parser.add_argument("--jit", action="store_true")
    parser.add_argument("--side", type=int, default=96)
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--weights", help="where the weights after the first step go")
    given = parser.parse_args()
    model = make(given.model, given.side, jit=given.jit)
    batch = tuple(map(tf.constant, draw_batch(given.model, given.side, given.rows)))
    began = time.perf_counter()
    step, recomputed = choose_step(model, given)
    step(batch)
    first_seconds = time.perf_counter() - began
    if given.weights:
        np.savez(given.weights, *model.get_weights())
    device = "GPU:0" if tf.config.list_physical_devices("GPU") else "CPU:0"
    tf.config.experimental.reset_memory_stats(device)
    before = tf.config.experimental.get_memory_info(device)["current"]
    seconds = []
    for _ in range(given.steps):
        began = time.perf_counter()
        logs = step(batch)
        float(tf.reduce_sum(next(iter(logs.values()))))
        seconds.append(time.perf_counter() - began)
    row = {
        "peak_bytes": tf.config.experimental.get_memory_info(device)["peak"] - before,
        "state_bytes": before,
        "seconds": float(np.median(seconds)),
        "first_seconds": first_seconds,
    }
    if recomputed is not None:
        way = recomputed.way
        row |= {"share": way.share, "extra": way.extra, "count": way.count}
    print(json.dumps(row))


def choose_step(model, given):
    """What takes a step, and the recomputed step if it is one."""
    if given.share is not None:
        step = RecomputedStep(model, given.share)
        return step, step
    if given.parts:
        from fitguard.keras.microbatch import MicroTrainStep

        micro = MicroTrainStep(model)
        return lambda batch: micro(batch, given.parts), None

    @tf.function(autograph=False, jit_compile=given.jit)
    def whole(images, labels):
        return model.train_step((images, labels))

    return lambda batch: whole(*batch), None


if __name__ == "__main__":
    main()
