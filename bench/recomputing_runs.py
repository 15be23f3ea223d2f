"""Whole trainings in a half and a third of the memory that they need, for six networks.

    make bench
    .venv/bin/python bench/recomputing_runs.py --models mobilenetv2,unet --shares 0.5

Each network trains with `fit` for some steps: plainly with all the memory that it wants, plainly
under a limit, and under the limit with `fitguard run`. The limit is a part of the *most that the
plain training ever has in use*, weights and optimizer included, set for TensorFlow's GPU allocator.
oneDNN, which has no part in training on a GPU, is switched off: where its scratch space finds no
room, TensorFlow crashes.

*Off*: the norm of the difference of the weights to those of the unlimited training, as a part of
the norm of what it moved them by. *oneDNN* and *XLA*: the same for plain unlimited trainings
that join operations otherwise. *Time*: of a step, beside the unlimited plain one, where the run has
found its way. *Split*: the same for `fitguard run --allow batch-statistics` with micro-batches of
8, which gives other results, with its own *off*. *Keras*: likewise for
`gradient_accumulation_steps`.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from recompute.distances import off
from recompute.models import MODELS, make

SCRIPT = Path(__file__).parent / "recompute" / "train.py"
_MIB = 2**20


@dataclass(frozen=True)
class Done:
    """A training that has ended: `weights` are None where it died."""

    code: int
    text: str
    weights: list | None
    facts: dict


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--shares", default="0.5,0.34")
    parser.add_argument("--side", default="96")
    parser.add_argument("--rows", default="32")
    parser.add_argument("--no-xla", action="store_true", help="it takes minutes to compile")
    parser.add_argument("--brief", action="store_true", help="nothing but plain and guarded")
    given = parser.parse_args()
    print(
        f"{'':16}{'limit':>10}{'plain':>8}{'guarded':>9}{'restarts':>9}{'time':>7}{'off':>9}"
        f"{'oneDNN':>11}{'XLA':>9}{'split':>7}{'off':>9}{'Keras':>7}{'off':>9}"
    )
    for name in given.models.split(","):
        with tempfile.TemporaryDirectory() as folder:
            compare(name, given, Path(folder))


def compare(name: str, given: argparse.Namespace, folder: Path) -> None:
    """The rows of one network."""
    size = ["--side", given.side, "--rows", given.rows]
    plain = train(folder, [name], size)
    other = None if given.brief else train(folder, [name], size, TF_ENABLE_ONEDNN_OPTS="1")
    no_xla = given.no_xla or given.brief
    compiled = None if no_xla else train(folder, [name], [*size, "--jit"])
    begin = make(name, int(given.side), jit=False).get_weights()
    moved = off(plain.weights, begin)

    def differ(done: Done | None) -> str:
        found = done is not None and done.weights is not None
        return f"{off(done.weights, plain.weights) / moved:9.1e}" if found else f"{'-':>9}"

    for share in map(float, given.shares.split(",")):
        limit = int(share * plain.facts["peak_bytes"] / _MIB)
        limited = {"TF_CPU_BFC_MEM_LIMIT_IN_MB": str(limit)}
        died = train(folder, [name], size, **limited)
        guarded = train(folder, [name], size, ["--exact-only"], **limited)
        split = keras = None
        if not given.brief:
            parts = str(int(given.rows) // 8)
            allowed = ["--allow", "batch-statistics", "--micro-batch", "8"]
            split = train(folder, [name], size, allowed, **limited)
            keras = train(folder, [name], [*size, "--parts", parts], **limited)
        restarts = guarded.text.count("It starts again")
        print(
            f"{name:16}{limit:6} MiB{_say(died):>8}{_say(guarded):>9}{restarts:9}"
            f"{_beside(guarded, plain):>7}{differ(guarded)}{differ(other):>11}{differ(compiled)}"
            f"{_beside(split, plain):>7}{differ(split)}{_beside(keras, plain):>7}{differ(keras)}",
            flush=True,
        )
        for line in re.findall(r"^fitguard: .*$", guarded.text, re.MULTILINE):
            print("   ", line)


def train(folder: Path, words: list[str], size: list[str], guard: list[str] | None = None, **more):
    """One training in a process of its own; guarded where there are options for that."""
    out = folder / "weights.npz"
    out.unlink(missing_ok=True)
    python = [sys.executable]
    if guard is not None:
        python = [sys.executable, "-m", "fitguard", "run", "--runs", str(folder / "runs"), *guard]
    command = [*python, str(SCRIPT), *words, str(out), *size]
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_CPU_ALLOCATOR_USE_BFC": "1", "NO_COLOR": "1"}
    quiet |= {"TF_ENABLE_ONEDNN_OPTS": "0"}
    done = subprocess.run(
        command,
        env={**os.environ, **quiet, "XDG_CACHE_HOME": str(folder / "cache"), **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        return Done(done.returncode, done.stdout, None, {})
    (facts,) = (json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"peak'))
    with np.load(out) as kept:
        return Done(0, done.stdout, [kept[one] for one in kept.files], facts)


def _say(done: Done) -> str:
    return "ends" if done.weights is not None else f"dies ({done.code})"


def _beside(done: Done | None, plain: Done) -> str:
    if done is None or not done.facts:
        return "-"
    return f"{done.facts['seconds'] / plain.facts['seconds']:.2f}"


if __name__ == "__main__":
    main()
