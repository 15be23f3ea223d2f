"""How close `fitguard.plan` is to what was measured on a GPU, beside what users have today.

    make bench
    python bench/plan_accuracy.py [-v] [--set unseen] [--cpu-step none|few|all] [--jobs 2]

`plan/measured.csv` has the measurements, `plan/README.md` says how they were taken. An estimate
between the bounds of the bisection has no error; else its distance from the nearer one counts. The
`unseen` models were not looked at while the planner was made: their line is the one that counts.
"""

import argparse
import os
import statistics
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from memory_use import available_bytes, verdict
from plan.children import Planned, cpu_step_peak, plan_rows
from plan.measurements import MEASURED, error, read_rows
from plan.scores import below_peak, closeness, interval
from plan.tables import (
    HEADER,
    RANGES_HEADER,
    SETS,
    by_set,
    closeness_line,
    on_target,
    ranges_line,
    row_line,
)
from plan.today import FORMULAS, Sizes, layer_outputs

MOST_MEDIAN, MOST_MEDIAN_XLA, MOST_NINTH, LEAST_INSIDE, MOST_WIDTH = 0.08, 0.15, 0.15, 0.95, 0.20
STEP_SECONDS = 120
FEW_MODELS = {"mlp", "seed_cnn", "residual_mlp", "wide_and_deep", "wide_mlp", "recommender"}


def main() -> None:
    """Plan all rows, print, exit with 1 where a target is missed."""
    options = arguments()
    rows = [row for row in read_rows(options.measured) if row.set in options.set]
    if not rows:
        sys.exit(f"no rows of {', '.join(options.set)} in {options.measured}")
    done = []
    for planned in plan_rows(rows, options.jobs):
        done.append(planned)
        if options.verbose:
            print(row_line(planned), flush=True)
    met = [*without_xla(done), *with_xla(done), *counts(done)]
    formulas(done)
    if options.cpu_step != "none":
        cpu_steps(done, options.cpu_step)
    sys.exit(not all(met))


def arguments() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-v", "--verbose", action="store_true", help="list the rows")
    parser.add_argument("--set", action="append", choices=SETS, help="only this set")
    parser.add_argument("--cpu-step", choices=("none", "few", "all"), default="few")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--measured", type=Path, default=MEASURED, help="another file of rows")
    options = parser.parse_args()
    options.set = options.set or SETS
    return options


def without_xla(done: Sequence[Planned]) -> Iterator[bool]:
    """`required` against the least memory that was measured."""
    print("\nwithout XLA: required.likely against the least memory")
    print(RANGES_HEADER)
    for name, verdicts in by_set(done, jit_compile=False):
        print(ranges_line(name, verdicts))
        close, ranges = closeness([one.error for one in verdicts]), interval(verdicts)
        yield on_target("median", close.median, most=MOST_MEDIAN)
        yield on_target("nine in ten", close.ninth, most=MOST_NINTH)
        yield on_target("inside", ranges.inside, least=LEAST_INSIDE)
        yield on_target("half-width", ranges.median_half_width, most=MOST_WIDTH)


def with_xla(done: Sequence[Planned]) -> Iterator[bool]:
    """Against the least memory where that was measured, else against the peak."""
    print(
        "\nwith XLA: required.likely against the least memory, or comfortable.likely and the peak"
    )
    print(RANGES_HEADER)
    for name, verdicts in by_set(done, jit_compile=True):
        peaks = sum(one.against_peak for one in verdicts)
        print(ranges_line(f"{name} ({peaks} against the peak)", verdicts))
        close = closeness([one.error for one in verdicts])
        yield on_target("median", close.median, most=MOST_MEDIAN_XLA)


def counts(done: Sequence[Planned]) -> Iterator[bool]:
    """Peaks above `comfortable.high`, rows without an answer, and what planning took."""
    print()
    for name, jit_compile in (("without XLA", False), ("with XLA", True)):
        mode = [planned for planned in done if planned.row.jit_compile == jit_compile]
        peaks = [planned for planned in mode if planned.row.peak_bytes is not None]
        below = sum(map(below_peak, peaks))
        print(
            f"{name}: peak above comfortable.high in {below} of {len(peaks)}: {verdict(not below)}"
        )
        yield not below
    failed = sum(bool(planned.failed) for planned in done)
    print(f"rows without an answer: {failed} of {len(done)}: {verdict(not failed)}")
    yield not failed
    if seconds := [planned.answer["seconds"] for planned in done if not planned.failed]:
        print(f"planning took {statistics.median(seconds):.1f} s, at most {max(seconds):.1f} s")


def formulas(done: Sequence[Planned]) -> None:
    """What users have today, on the same rows."""
    print(f"\nwhat users have today, on the same rows without XLA\n{HEADER}")
    for name, verdicts in by_set(done, jit_compile=False):
        for formula, estimate in FORMULAS.items():
            errors = [error(estimate(sizes(one.planned)), one.truth) for one in verdicts]
            print(closeness_line(f"{name}: {formula}", errors))


def cpu_steps(done: Sequence[Planned], which: str) -> None:
    """The peak of one step on the CPU, and the plan on the same rows."""
    verdicts = dict(by_set(done, jit_compile=False)).get("all", [])
    tried = [one for one in verdicts if affordable(one.planned, which)]
    peaks = [cpu_step_peak(one.planned.row, STEP_SECONDS) for one in tried]
    pairs = zip(peaks, tried, strict=True)
    compared = [(error(peak, one.truth), one.error) for peak, one in pairs if peak]
    print(f"\none step on the CPU: {len(compared)} of {len(tried)} ended within {STEP_SECONDS} s")
    if compared:
        on_cpu, with_plan = zip(*compared, strict=True)
        print(HEADER)
        print(closeness_line("peak of the CPU step", on_cpu))
        print(closeness_line("fitguard on these rows", with_plan))


def affordable(planned: Planned, which: str) -> bool:
    """Whether the memory has room for a real step; `few` are the models that are also quick."""
    wanted = which == "all" or planned.row.model in FEW_MODELS
    return wanted and layer_outputs(sizes(planned)) < available_bytes() / 2


def sizes(planned: Planned) -> Sizes:
    """What the formulas need."""
    return Sizes(planned.row.params, planned.answer["outputs"], planned.row.batch)


if __name__ == "__main__":
    main()
