"""The tables of `plan_accuracy.py`: one line for each set of rows."""

from collections.abc import Iterator, Sequence

from memory_use import verdict
from plan.children import Planned
from plan.measurements import MIB
from plan.scores import Verdict, below_peak, closeness, interval, judged

SETS = ("given", "seen", "unseen")
HEADER = f"{'':34}{'rows':>5}{'median':>9}{'9 in 10':>9}{'in 15 %':>9}"
RANGES_HEADER = f"{HEADER}{'inside':>9}{'half-width':>12}{'widest':>9}"


def by_set(done: Sequence[Planned], *, jit_compile: bool) -> Iterator[tuple[str, list[Verdict]]]:
    """Verdicts of each set, and of all together; what has none is left out."""
    mode = [planned for planned in done if planned.row.jit_compile == jit_compile]
    found = [one for planned in mode if (one := judged(planned))]
    for name in SETS:
        if of_set := [one for one in found if one.planned.row.set == name]:
            yield name, of_set
    if found:
        yield "all", found


def closeness_line(name: str, errors: Sequence[float]) -> str:
    """How close single numbers are."""
    close = closeness(errors)
    cells = f"{close.rows:>5}{close.median:>9.1%}{close.ninth:>9.1%}{close.within:>9.0%}"
    return f"{name:34}{cells}"


def ranges_line(name: str, verdicts: Sequence[Verdict]) -> str:
    """How close the likely values are, and how the ranges hold the truth."""
    ranges = interval(verdicts)
    cells = f"{ranges.inside:>9.0%}{ranges.median_half_width:>12.1%}{ranges.widest:>9.0%}"
    return closeness_line(name, [one.error for one in verdicts]) + cells


def on_target(name: str, value: float, *, most: float = 1.0, least: float = 0.0) -> bool:
    """Whether a figure is within its target; says so where it is not."""
    met = least <= value <= most
    if not met:
        bound = f"at least {least:.0%}" if value < least else f"at most {most:.0%}"
        print(f"{'':34}{name} {value:.1%}, should be {bound}: {verdict(met)}")
    return met


def row_line(planned: Planned) -> str:
    """One row with its truth, the plan and the error."""
    row, result = planned.row, judged(planned)
    mode = "xla" if row.jit_compile else "graph"
    name = f"{row.set:7}{row.model:23}{row.policy:15}{row.optimizer:13}{row.batch:>6} {mode:5}"
    if planned.failed:
        return f"{name}  no answer: {planned.failed}"
    room = f"  comfortable up to {planned.answer['comfortable']['high'] // MIB}"
    if below_peak(planned):
        room += f", PEAK {(row.peak_bytes or 0) // MIB}"
    return f"{name}{_judgement(result) if result else ''}{room}  {planned.answer['seconds']:.1f} s"


def _judgement(result: Verdict) -> str:
    low, likely, high = (result.said[key] // MIB for key in ("low", "likely", "high"))
    truth = "-".join(str(bound // MIB) for bound in sorted(set(result.truth)))
    outside = "" if result.inside else " OUTSIDE"
    return f"  truth {truth:>11} MiB  plan {low}/{likely}/{high} {result.error:+.1%}{outside}"
