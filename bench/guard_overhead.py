"""What `fitguard run` costs where nothing goes wrong: time per step, and start-up.

    make bench
    .venv/bin/python bench/guard_overhead.py --seconds 60 --rounds 3

Plain and guarded runs alternate, so that a busy moment hits both; medians are compared. The weights
of all runs of a model must be the same to the bit.
"""

import argparse
import resource
import statistics
import sys
import tempfile
from pathlib import Path

import numpy as np
from guard import trainings
from memory_use import verdict

MOST_RATIO, MOST_START_SECONDS = 1.02, 0.7
KINDS = {"dense": "one layer of 64, the worst case", "cnn": "a small CNN"}
_CALIBRATING_EPOCHS = 4
_STARTS = 7


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=30.0, help="of training in each run")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        met = [step_cost(folder, kind, given.seconds, given.rounds) for kind in KINDS]
        met.append(start_cost(folder))
    sys.exit(not all(met))


def step_cost(folder: Path, kind: str, seconds: float, rounds: int) -> bool:
    """Time per step, guarded / plain."""
    calibrated, steps = trained(folder, kind, _CALIBRATING_EPOCHS, "plain")
    epochs = max(1, round(seconds / calibrated / steps * _CALIBRATING_EPOCHS))
    taken: dict[str, list[float]] = {"plain": [], "guarded": []}
    for _ in range(rounds):
        for way, found in taken.items():
            found.append(trained(folder, kind, epochs, way)[0])
    same = np.array_equal(*(trainings.weights(folder / f"{way}.npz") for way in taken))
    plain, guarded = (statistics.median(found) for found in taken.values())
    ratio = guarded / plain
    print(
        f"time per step, {kind} ({KINDS[kind]}): plain {plain * 1e6:.0f} µs, guarded "
        f"{guarded * 1e6:.0f} µs, ratio {ratio:.3f}, target {MOST_RATIO}: "
        f"{verdict(ratio <= MOST_RATIO)}; weights {'identical' if same else 'DIFFERENT'}",
        flush=True,
    )
    return ratio <= MOST_RATIO and same


def trained(folder: Path, kind: str, epochs: int, way: str) -> tuple[float, int]:
    """Seconds per step, and steps, of one run."""
    out = folder / f"{way}.npz"
    words = ("step_cost.py", out, kind, epochs)
    command = trainings.plain(*words) if way == "plain" else trainings.guarded(folder, *words)
    trainings.seconds(command, folder)
    with np.load(out) as saved:
        return float(saved["seconds"] / saved["steps"]), int(saved["steps"])


def start_cost(folder: Path) -> bool:
    """Seconds that a guarded script of one step takes longer, from start to end, at its best."""
    words = ("one_step.py", folder / "one.npz")
    commands = trainings.plain(*words), trainings.guarded(folder, *words)
    for command in commands:
        trainings.seconds(command, folder)  # the file cache is warm for both alike
    rounds = [[timed(command, folder) for command in commands] for _ in range(_STARTS)]
    (plain, plain_cpu), (guarded, guarded_cpu) = (
        (min(wall), min(cpu))
        for wall, cpu in (zip(*found, strict=True) for found in zip(*rounds, strict=True))
    )
    more, more_cpu = guarded - plain, guarded_cpu - plain_cpu
    met = more <= MOST_START_SECONDS
    print(
        f"start to end of one step, best of {_STARTS}: plain {plain:.2f} s, guarded {guarded:.2f} "
        f"s, {more:.2f} s more, target {MOST_START_SECONDS} s: {verdict(met)}; processor time "
        f"{more_cpu:.2f} s more, that of the process that guards included"
    )
    return met


def timed(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds by the wall, and of all processors."""
    before = read_processor_seconds()
    wall = trainings.seconds(command, folder)
    return wall, read_processor_seconds() - before


def read_processor_seconds() -> float:
    """Of all processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
