"""A step in parts with the statistics of the whole batch: what it takes, beside recomputation.

    TF_CPU_ALLOCATOR_USE_BFC=1 PYTHONPATH=bench .venv/bin/python \\
        bench/recompute/statistics_over_parts.py --ways plain,plain,xla,0.5,0.34,exact:8,exact:8:6

A way is one of these; a JSON line for each on stdout.

- `plain`, or `xla`: the whole batch, as it is or compiled
- a share of memory: the whole batch, recomputed
- `exact:PARTS`: the batch in parts; all that waits for a barrier waits in host memory
- `exact:PARTS:LAST`: so that what is read again soon waits on the card: what the last so many
  convolutions give, and all else until the next pass has read it
- `split:PARTS`: each part with statistics of its own, as fitguard splits a batch

*off*: the norm of the difference of the trained weights after one step, as a part of that step;
*off_statistics*: the same of the moving statistics. Times are medians over rounds through all ways.
Host memory has a link of its own on a GPU only. On a CPU, what waits there lies in arrays that the
allocator does not count: memory and weights are as on a GPU, times are not.
"""

import argparse
import json
import time
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from recompute.chain import draw_images, make_chain
from recompute.distances import off
from recompute.exact_parts import ExactParts
from recompute.passes import DEVICE, split

from fitguard.keras.fitting.recomputed_step import RecomputedStep
from fitguard.keras.microbatch import MicroTrainStep


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--ways", default="plain,plain,xla,0.5,0.34,exact:8,exact:8:6")
    parser.add_argument("--side", type=int, default=64)
    parser.add_argument("--blocks", type=int, default=12)
    parser.add_argument("--filters", type=int, default=32)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--rounds", type=int, default=7, help="through all ways, for times")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--no-tf32", action="store_true", help="all digits in products, on a GPU")
    given = parser.parse_args()
    keras.config.set_floatx(given.dtype)
    tf.config.experimental.enable_tensor_float_32_execution(not given.no_tf32)
    batch = draw_images(given.side, given.rows)
    begin = split_weights(make_chain(given.side, given.blocks, given.filters))
    reference, made = None, []
    for way in given.ways.split(","):
        model = make_chain(given.side, given.blocks, given.filters)
        row, take = measure(way, model, batch)
        after = row.pop("after")
        reference = reference or after
        for name, *arrays in zip(("off", "off_statistics"), after, reference, begin, strict=True):
            row[name] = off(arrays[0], arrays[1]) / off(arrays[1], arrays[2])
        made.append((row, take))
    seconds = [[clock(take) for _, take in made] for _ in range(given.rounds)]
    for (row, _), taken in zip(made, zip(*seconds, strict=True), strict=True):
        print(json.dumps(row | {"seconds": float(np.median(taken))}), flush=True)


def measure(way: str, model: keras.Model, batch: Any) -> tuple[dict[str, Any], Any]:
    """What is said of a way, with its weights after one step; and what takes a step."""
    step, data = choose(way, model, batch)
    take = lambda: float(step(data)["loss"])  # noqa: E731
    before = tf.config.experimental.get_memory_info(DEVICE)["current"]
    first_seconds = clock(take)
    after = split_weights(model)
    tf.config.experimental.reset_memory_stats(DEVICE)
    take()
    peak_bytes = tf.config.experimental.get_memory_info(DEVICE)["peak"] - before
    row = {"way": way, "peak_bytes": peak_bytes, "first_seconds": first_seconds, "after": after}
    return row | getattr(step, "traffic", {}), take


def clock(take: Any) -> float:
    began = time.perf_counter()
    take()
    return time.perf_counter() - began


def choose(way: str, model: keras.Model, batch: Any) -> tuple[Any, Any]:
    """What takes a step, and the batch where it is to lie."""
    kind, *numbers = way.split(":")
    if kind == "exact":
        step = ExactParts(model, *map(int, numbers))
        return step, tuple(split(one, int(numbers[0])) for one in batch)
    with tf.device(DEVICE):
        data = tuple(map(tf.constant, batch))
    if kind == "split":
        micro, rows = MicroTrainStep(model), len(batch[0]) // int(numbers[0])
        return lambda one: micro(one, rows), data
    if kind not in ("plain", "xla"):
        return RecomputedStep(model, float(kind)), data

    @tf.function(autograph=False, jit_compile=kind == "xla")
    def whole(images: Any, labels: Any) -> Any:
        return model.train_step((images, labels))

    return lambda one: whole(*one), data


def split_weights(model: keras.Model) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The trained ones, and the moving statistics."""
    kinds = (model.trainable_variables, model.non_trainable_variables)
    return tuple([one.numpy() for one in kind] for kind in kinds)


if __name__ == "__main__":
    main()
