"""Whole batches in less memory: what recomputation saves, costs and changes, for six networks.

    make bench
    .venv/bin/python bench/recomputing.py --side 96 --rows 16 --models resnet50,unet

*Memory*: the most that a step takes beside weights, as a part of that of the plain step, from the
allocator. *Time*: of a step, beside the plain one; *said* is what fitguard says beforehand. *Off*:
the norm of the difference of the weights after one step, as a part of the norm of that step.
*Other fusions*: the same for the plain step without oneDNN: what TensorFlow itself may change.
*Plain, run again*: what differs between two runs of the plain step.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from recompute.distances import off

SHARES = (0.5, 0.34)
SCRIPT = Path(__file__).parent / "recompute" / "one_step.py"
MODELS = ("resnet50", "mobilenetv2", "efficientnetb0", "unet", "densenet121", "transformer")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--side", default="96")
    parser.add_argument("--rows", default="16")
    parser.add_argument("--jit", action="store_true")
    given = parser.parse_args()
    print(
        f"{'':16}{'wanted':>7}{'memory':>8}{'on paper':>9}{'time':>6}{'said':>6}{'twice':>6}"
        f"{'off':>9}{'other fusions':>15}{'plain, run again':>18}"
    )
    for model in given.models.split(","):
        with tempfile.TemporaryDirectory() as folder:
            compare(model, given, Path(folder))


def compare(model: str, given: argparse.Namespace, folder: Path) -> None:
    """The rows of one network."""
    size = ["--side", given.side, "--rows", given.rows, *(["--jit"] if given.jit else [])]
    plain, after = run(model, size, folder / "plain.npz")
    _, other = run(model, size, folder / "other.npz", TF_ENABLE_ONEDNN_OPTS="0")
    _, again = run(model, [*size, "--steps", "1"], folder / "again.npz")
    repeats = off(again, after)
    moved = off(after, start_of(model, given))
    for share in SHARES:
        row, weights = run(model, [*size, "--share", str(share)], folder / f"{share}.npz")
        print(
            f"{model:16}{share:7.2f}{row['peak_bytes'] / plain['peak_bytes']:8.2f}"
            f"{row['share']:9.2f}{row['seconds'] / plain['seconds']:6.2f}{1 + row['extra']:6.2f}"
            f"{row['count']:6}{off(weights, after) / moved:9.1e}{off(other, after) / moved:15.1e}"
            f"{repeats / moved:18.1e}",
            flush=True,
        )


def run(model: str, options: list[str], weights: Path, **environment: str):
    """What a process says, and the weights that it leaves."""
    variables = {"TF_CPU_ALLOCATOR_USE_BFC": "1", "TF_CPP_MIN_LOG_LEVEL": "2"}
    path = {"PYTHONPATH": str(SCRIPT.parents[1])}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), model, *options, "--weights", str(weights)],
        env={**os.environ, **variables, **path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr)
    with np.load(weights) as kept:
        return json.loads(done.stdout.splitlines()[-1]), [kept[name] for name in kept.files]


def start_of(model: str, given: argparse.Namespace) -> list[np.ndarray]:
    """The weights before the first step."""
    sys.path.insert(0, str(SCRIPT.parents[1]))
    from recompute.models import make

    return list(make(model, int(given.side), jit=False).get_weights())


if __name__ == "__main__":
    main()
