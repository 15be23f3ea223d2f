"""What `fitguard run` does in each step between two snapshots, told apart from noise.

    make bench
    .venv/bin/python bench/guard_steps.py --blocks 20

Three answers, of which only the last depends on how busy the machine is:

- a profile: microseconds inside of fitguard's functions in real steps, with caches as cold as the
  step leaves them; and how often threads of fitguard wake
- empty steps: processor time of Keras' loop around a train function that does nothing, plain and
  guarded
- the ratio, without snapshots: guarded and unguarded blocks of steps take turns in one process;
  medians of steps, and between which ratios it lies with a confidence of 95 %
"""

import argparse
import json
import random
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from guard import trainings
from memory_use import verdict

MOST_MICROSECONDS = 20.0
EMPTY_STEPS, EMPTY_EPOCHS, EMPTY_ROUNDS = 3000, 8, 3
_DRAWS = 2000


class Training(NamedTuple):
    """What is measured.

    Args:
        most: The ratio that is allowed.
    """

    kind: str
    step_seconds: float
    most: float


TRAININGS = (
    Training("arrays", 0.002, 1.02),
    Training("dataset", 0.002, 1.02),
    Training("generator", 0.002, 1.02),
    Training("pydataset", 0.002, 1.02),
    Training("train_step", 0.002, 1.02),
    Training("dataset", 0.001, 1.05),
)


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--blocks", type=int, default=12, help="pairs of 1 s, guarded and not")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        met = [profile(Path(name), training, given.blocks) for training in TRAININGS]
        met.append(measure_empty(Path(name)))
    sys.exit(not all(met))


def profile(folder: Path, training: Training, blocks: int) -> bool:
    """One kind of training: its profile and its ratio."""
    out = folder / "profile.json"
    words = ("step_profile.py", out, training.kind, training.step_seconds, blocks)
    seldom = ("--snapshot-seconds", "10000")
    trainings.seconds(trainings.guarded(folder, *words, options=seldom), folder)
    found: dict[str, Any] = json.loads(out.read_text())
    pairs = found["pairs"]
    ratios = [pair["guarded"] / pair["plain"] for pair in pairs]
    low, high = find_confidence(ratios)
    ratio, step = statistics.median(ratios), statistics.median(pair["plain"] for pair in pairs)
    met = found["wall"] <= MOST_MICROSECONDS and low <= training.most
    print(
        f"{training.kind}, steps of {step * 1e3:.2f} ms: {found['wall']:.1f} µs a step (processor "
        f"time {found['cpu']:.1f} µs) in {len(found['calls'])} functions of fitguard, target "
        f"{MOST_MICROSECONDS:.0f}; guarded / "
        f"plain {ratio:.3f} ({low:.3f} to {high:.3f}), target {training.most}; threads wake "
        f"{found['wakes']:.0f} times a second, {found['thread_cpu']:.1%} of a core: {verdict(met)}",
        flush=True,
    )
    return met


def find_confidence(ratios: list[float]) -> tuple[float, float]:
    """Between which values the median lies, for 95 of 100 draws of the pairs."""
    draw = random.Random(1)
    medians = sorted(statistics.median(draw.choices(ratios, k=len(ratios))) for _ in range(_DRAWS))
    return medians[round(0.025 * _DRAWS)], medians[round(0.975 * _DRAWS)]


def measure_empty(folder: Path) -> bool:
    """Processor time of steps without computation."""
    out = folder / "empty.json"
    words = ("empty_steps.py", out, EMPTY_STEPS, EMPTY_EPOCHS)
    ways = {"plain": trainings.plain(*words), "guarded": trainings.guarded(folder, *words)}
    taken: dict[str, list[float]] = {way: [] for way in ways}
    for _ in range(EMPTY_ROUNDS):
        for way, command in ways.items():
            trainings.seconds(command, folder)
            taken[way] += json.loads(out.read_text())
    plain, guarded = (statistics.median(found) * 1e6 for found in taken.values())
    met = guarded - plain <= MOST_MICROSECONDS
    print(
        f"empty steps: plain {plain:.1f} µs, guarded {guarded:.1f} µs, {guarded - plain:.1f} µs "
        f"more, target {MOST_MICROSECONDS:.0f}: {verdict(met)}"
    )
    return met


if __name__ == "__main__":
    main()
