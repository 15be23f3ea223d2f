"""The largest batch for a card, before and with recomputation, for ten networks: from the plan.

    make bench
    .venv/bin/python bench/recomputing_batches.py --gpu-memory 12GiB --models resnet50,unet

In graph mode; nothing is run. *With recomputation* the batch stays whole, for layers that need to
see all of it; *longer* is what a step of that batch takes more, as fitguard says it.

With `--try`, steps of both batches are taken on this machine, under a limit of what a training may
have of such a card: the plain one with the batch from *before*, and with that of *with*, which must
be recomputed to fit.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
from recompute.models import CLASSES, MODELS

import fitguard

SIDE = 224
FIRST = 32
SCRIPT = Path(__file__).parent / "recompute" / "one_step.py"
BEYOND = 4
"""So many times the largest batch is asked for: all that can be saved is saved there."""

APPLICATIONS = ("VGG16", "ResNet101", "InceptionV3", "NASNetMobile")
NAMES = (*MODELS, *(name.lower() for name in APPLICATIONS))


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(NAMES))
    parser.add_argument("--gpu-memory", default="12GiB")
    parser.add_argument("--try", action="store_true", dest="tries", help="of the six networks")
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
        if given.tries:
            try_both(name, before, after, given.gpu_memory)


def try_both(name: str, before: int, after: int, gpu_memory: str) -> None:
    """Take steps with each batch, plainly and recomputed."""
    plan = ask(name, after, gpu_memory, advice="full")
    (found,) = [one for one in plan.advice if one.slug == "recomputation"]
    share = re.search(r"share=([\d.]+)", found.code).group(1)
    limit = plan.card.usable_bytes // 2**20
    print(
        f"    in {limit:,} MiB: plain {before}: {run(name, before, limit)}, plain {after}: "
        f"{run(name, after, limit)}, recomputed {after}: {run(name, after, limit, share)}",
        flush=True,
    )


def run(name: str, rows: int, limit_mib: int, *share: str) -> str:
    """Whether its steps end in a process of their own."""
    variables = {
        "TF_CPU_ALLOCATOR_USE_BFC": "1",
        "TF_CPU_BFC_MEM_LIMIT_IN_MB": str(limit_mib),
        "PYTHONPATH": str(SCRIPT.parents[1]),
    }
    options = ["--side", str(SIDE), "--rows", str(rows), "--steps", "1"]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), name, *options, *(["--share", *share] if share else [])],
        env={**os.environ, **variables},
        capture_output=True,
        check=False,
    )
    return "dies" if done.returncode else "ends"


def ask(name: str, rows: int, gpu_memory: str, **more):
    """The plan of one network."""
    keras.backend.clear_session()
    classes = {one.lower(): getattr(keras.applications, one) for one in APPLICATIONS}
    if name in MODELS:
        model = MODELS[name](SIDE)
    else:
        model = classes[name](weights=None, input_shape=(SIDE, SIDE, 3), classes=CLASSES)
    optimizer = keras.optimizers.SGD(0.01, momentum=0.9)
    model.compile(optimizer, "sparse_categorical_crossentropy", jit_compile=False)
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
