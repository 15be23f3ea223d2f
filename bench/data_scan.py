"""How long `fitguard data` looks at an array of 4 GB, as a multiple of one `numpy.min` over it.

    make bench

The scan looks for nan, infinities and the range, in tables for useless columns as well, and must
not copy the array. Values have both signs, which takes the scan most passes. `numpy.min` and the
scan take turns, so that a busy moment hits both; the medians count. Memory maps are opened anew in
each round, for both, and read from a warm file cache.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from memory_use import available_bytes, memory_bytes, reset_peak, verdict

from fitguard.inputs.scan import FieldScan, Wanted, scan_array
from fitguard.schema.data import Field

ROUNDS = 5
SIZE_BYTES = 4_000_000_000
MOST_RATIO = 1.5
MOST_MEMORY_BYTES = 200 * 1000 * 1000
SPARE_BYTES = 2_000_000_000
SHAPES = {"images": (224, 224, 3), "table": (20,), "numbers": ()}
STATUS = Path("/proc/self/status")
PART = 1 << 22


class Case(NamedTuple):
    """An array to scan.

    Args:
        make: Gives the array, or a map of it; called anew in each round.
        bad: Whether the values are such that the target does not hold for them.
    """

    name: str
    make: Callable[[], np.ndarray]
    bad: bool = False


class Measured(NamedTuple):
    """What one case took."""

    reference_seconds: float
    seconds: float
    memory_bytes: int


def main() -> None:
    """Measure, print, exit with 1 where a target is missed."""
    size = min(SIZE_BYTES, available_bytes() - SPARE_BYTES) // 4 * 4
    note = "" if size == SIZE_BYTES else f", as the memory has no room for {SIZE_BYTES / 1e9:.0f}"
    print(f"{size / 1e9:.2f} GB of float32{note}; {ROUNDS} rounds, target: a ratio of {MOST_RATIO}")
    met = [report(case) for case in in_memory(size)]
    with tempfile.TemporaryDirectory() as folder:
        met += [report(case) for case in in_a_file(Path(folder, "values"), size)]
    sys.exit(not all(met))


def in_memory(size: int) -> Iterator[Case]:
    """The same memory in several shapes, and at last full of nans."""
    values = np.empty(size // 4, np.float32)
    fill(values)
    for name, shape in SHAPES.items():
        array = shaped(values, shape)
        yield Case(name, lambda array=array: array)
    values[:] = np.nan
    yield Case("all nan", lambda: values, bad=True)


def in_a_file(path: Path, size: int) -> Iterator[Case]:
    """A map that only reads."""
    written = np.memmap(path, np.float32, "w+", shape=size // 4)
    fill(written)
    del written
    yield Case("mapped file", lambda: np.memmap(path, np.float32, "r"))


def fill(values: np.ndarray) -> None:
    """Standard normal values; the same few millions again and again, which no scan can tell."""
    part = np.random.default_rng(1).standard_normal(PART, np.float32)
    for start in range(0, values.size, PART):
        values[start : start + PART] = part[: values.size - start]


def shaped(values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """As many samples of this shape as there is room for; no copy."""
    each = int(np.prod(shape))
    samples = values.size // each
    return values[: samples * each].reshape(samples, *shape)


def report(case: Case) -> bool:
    """Measure and print one case; whether it meets the targets."""
    found = measure(case)
    ratio = found.seconds / found.reference_seconds
    quick, small = case.bad or ratio <= MOST_RATIO, found.memory_bytes <= MOST_MEMORY_BYTES
    print(
        f"{case.name:12} numpy.min {found.reference_seconds:6.3f} s, scan {found.seconds:6.3f} s: "
        f"ratio {ratio:.2f} ({'no target' if case.bad else verdict(quick)}), "
        f"memory +{found.memory_bytes / 1e6:.0f} MB ({verdict(small)})",
        flush=True,
    )
    return quick and small


def measure(case: Case) -> Measured:
    """The medians of all rounds, and the most memory that a scan took."""
    references, times, memory = [], [], 0
    for _ in range(ROUNDS):
        references.append(seconds(lambda array: np.min(array), case.make()))
        array = case.make()
        before = reset_peak()
        times.append(seconds(check_scan if not case.bad else scan, array))
        memory = max(memory, memory_bytes("VmHWM") - before)
    return Measured(statistics.median(references), statistics.median(times), memory)


def seconds(work: Callable[[np.ndarray], object], array: np.ndarray) -> float:
    """What one call takes."""
    started = time.perf_counter()
    work(array)
    return time.perf_counter() - started


def scan(array: np.ndarray) -> Field:
    """All that there is to see in an input of a model."""
    found = FieldScan(
        Wanted(role="x", name="x", container="numpy.ndarray", columns=array.ndim == 2)
    )
    scan_array(found, array)
    return found.result()


def check_scan(array: np.ndarray) -> None:
    """It is no use being quick and wrong."""
    field = scan(array)
    if field.samples_seen != len(array) or field.nans.count or field.minimum is None:
        raise SystemExit(f"Received {field}. Expected all of {len(array)} samples, without a nan")


if __name__ == "__main__":
    main()
