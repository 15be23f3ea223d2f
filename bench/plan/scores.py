"""How good estimates are, over many rows."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from plan.children import Planned
from plan.measurements import error

CLOSE = 0.15


class Closeness(NamedTuple):
    """How far single numbers are from the truth."""

    rows: int
    median: float
    ninth: float
    within: float


class Interval(NamedTuple):
    """How well the ranges hold the truth, and how wide they are: half of the width over likely."""

    inside: float
    median_half_width: float
    widest: float


class Verdict(NamedTuple):
    """A planned row against its measurement.

    Args:
        truth: The bounds of what was measured.
        against_peak: Whether that is the peak with room, as nothing else was measured.
    """

    planned: Planned
    said: dict[str, int]
    truth: tuple[int, int]
    against_peak: bool

    @property
    def error(self) -> float:
        return error(self.said["likely"], self.truth)

    @property
    def inside(self) -> bool:
        return self.said["low"] <= self.truth[1] and self.said["high"] >= self.truth[0]

    @property
    def half_width(self) -> float:
        return (self.said["high"] - self.said["low"]) / self.said["likely"] / 2


def judged(planned: Planned) -> Verdict | None:
    """Against the least memory; for XLA, where only the peak is known, against that.

    A compiled step takes nearly the same with room and without: its buffers are fixed. Without
    XLA a peak says nothing of the least memory, so such a row has no verdict.
    """
    row = planned.row
    if planned.failed:
        return None
    if row.bracket:
        return Verdict(planned, planned.answer["required"], row.bracket, against_peak=False)
    if row.jit_compile and row.peak_bytes:
        peak = (row.peak_bytes, row.peak_bytes)
        return Verdict(planned, planned.answer["comfortable"], peak, against_peak=True)
    return None


def closeness(errors: Sequence[float]) -> Closeness:
    """Of signed errors, by their size."""
    sizes = sorted(abs(one) for one in errors)
    ninth = sizes[int(0.9 * (len(sizes) - 1))]
    within = sum(size <= CLOSE for size in sizes) / len(sizes)
    return Closeness(len(sizes), statistics.median(sizes), ninth, within)


def interval(verdicts: Sequence[Verdict]) -> Interval:
    """Of the ranges of verdicts."""
    widths = [verdict.half_width for verdict in verdicts]
    inside = sum(verdict.inside for verdict in verdicts) / len(verdicts)
    return Interval(inside, statistics.median(widths), max(widths))


def below_peak(planned: Planned) -> bool:
    """Whether the measured peak is above all that fitguard held for possible."""
    peak = planned.row.peak_bytes
    return not planned.failed and peak is not None and planned.answer["comfortable"]["high"] < peak
