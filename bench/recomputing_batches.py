"""The largest batch for a card, before and with recomputation, for ten networks: from the plan.

    make bench
    .venv/bin/python bench/recomputing_batches.py --gpu-memory 12GiB --models resnet50,unet

In graph mode; nothing is run. *With recomputation* the batch stays whole, for layers that need to
see all of it; *longer* is what a step of that batch takes more, as fitguard says it.
"""

import argparse
import re

import keras
import numpy as np
from recompute.models import CLASSES, MODELS

import fitguard

SIDE = 224
FIRST = 32
BEYOND = 3
"""So many times the largest batch is asked for: all that can be saved is saved there."""

APPLICATIONS = ("VGG16", "ResNet101", "InceptionV3", "NASNetMobile")
NAMES = (*MODELS, *(name.lower() for name in APPLICATIONS))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(NAMES))
    parser.add_argument("--gpu-memory", default="12GiB")
    given = parser.parse_args()
    print(f"{given.gpu_memory:16}{'before':>8}{'with':>8}{'times':>7}{'longer':>8}")
    for name in given.models.split(","):
        before = ask(name, FIRST, given.gpu_memory).largest_batch_size or 0
        advice = ask(name, max(BEYOND * before, 2), given.gpu_memory, advice="full").advice
        (found,) = [one for one in advice if one.slug == "recomputation"]
        after = found.largest_batch_size or 0
        longer = re.search(r"about (\d+)% longer", found.text)
        print(
            f"{name:16}{before:8}{after:8}{after / max(before, 1):7.2f}"
            f"{longer.group(1) if longer else '?':>6} %",
            flush=True,
        )


def ask(name: str, rows: int, gpu_memory: str, **more):
    """The plan of one network."""
    keras.backend.clear_session()
    classes = {one.lower(): getattr(keras.applications, one) for one in APPLICATIONS}
    if name in MODELS:
        model = MODELS[name](SIDE)
    else:
        model = classes[name](weights=None, input_shape=(SIDE, SIDE, 3), classes=CLASSES)
    model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=False)
    labels = (rows, SIDE, SIDE) if name == "unet" else (rows,)
    return fitguard.plan(
        model,
        rows,
        np.broadcast_to(np.float32(0), (rows, SIDE, SIDE, 3)),
        np.broadcast_to(np.int32(0), labels),
        gpu_memory=gpu_memory,
        jit_compile=False,
        **more,
    )


if __name__ == "__main__":
    main()
