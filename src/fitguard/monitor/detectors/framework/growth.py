"""Growth between equal phases of steps and epochs: what a leak is, and a healthy training is not.

Of each bucket of seconds in which steps were taken, the least in use counts: between two steps,
after collections. What came with a new trace is taken out, and what goes with the size of the
batch. Where epochs are long enough to be told apart, each bucket is compared with the one of the
epoch before it at the same step of the epoch; else the lower edge of windows must rise.
"""

import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from fitguard.monitor.detectors.framework.course import Course, Moment
from fitguard.monitor.detectors.framework.shapes import have_equal_sizes, level_shapes
from fitguard.monitor.detectors.framework.trend import WINDOWS, Point, Trend, find_steady_rise
from fitguard.monitor.flight_record import Column

EXCUSED_SECONDS = 60.0
_EXCUSED_BUCKETS = 12
_RISING_SHARE = 0.9
_LEAST_OF_EACH_EPOCH = 0.5
"""Of the median growth: less in one epoch than in the others is a cache that fills, or a jump."""
_RISE_TO_NOISE = 2.0
_LEAST_EPOCHS = 2
_LEAST_TWINS = 2
_UNEVEN = 0.2
"""Of the mean length of an epoch, that lengths may differ by."""
_FULL_SPAN = 0.95
_HIGHEST_BEFORE = 0.98
"""Share of the values before the span that the newest must exceed: evaluation has peaks."""
_LAST_BUCKETS = 6


@dataclass(frozen=True)
class Series:
    """The least in use over time, without what new shapes explain."""

    times: list[float]
    steps: list[float]
    values: list[float]

    def cut(self, begin: float) -> "Series":
        """From a moment on."""
        at = bisect_left(self.times, begin)
        return Series(self.times[at:], self.steps[at:], self.values[at:])


@dataclass(frozen=True)
class Growth:
    """A steady growth.

    Args:
        seconds: For how long it was looked at, with so many steps.
        rise_bytes: In this time.
    """

    per_second: float
    seconds: float
    steps: float
    rise_bytes: float

    @property
    def per_thousand_steps(self) -> float:
        """Bytes; 0 where no steps were taken."""
        return 1000 * self.rise_bytes / self.steps if self.steps else 0.0


def build_series(column: Column, begin: float, excuses: Sequence[float] = ()) -> Series:
    """What a column holds at least while steps are taken, from a moment on.

    Args:
        excuses: When a growth was nobody's fault: it is taken out of all that comes after.
    """
    first = bisect_left(column.times, begin)
    moved = [i for i in range(max(1, first), len(column)) if column.steps[i] > column.steps[i - 1]]
    times, values = [column.times[i] for i in moved], [column.low[i] for i in moved]
    excused_until = 0.0
    for moment in excuses:
        at = bisect_left(times, moment)
        if not 0 < at < len(times) or moment < excused_until:
            continue
        excused_until = moment + EXCUSED_SECONDS
        before = min(values[max(0, at - _EXCUSED_BUCKETS) : at])
        after = min(values[at : at + _EXCUSED_BUCKETS])
        shift = max(0.0, after - before)
        values[at:] = [value - shift for value in values[at:]]
    return Series(times, [column.steps[i] for i in moved], values)


def find_growth(
    series: Series,
    span_seconds: float,
    course: Course,
    least_bytes: float,
) -> Growth | None:
    """Growth over the last so many seconds; None where there is none, or too little is known."""
    epochs = course.epochs
    if not series.times or series.times[-1] - series.times[0] < _FULL_SPAN * span_seconds:
        return None
    begin = series.times[-1] - span_seconds
    span = series.cut(begin)
    seconds = span.times[-1] - span.times[0]
    inside = [moment for moment in epochs if begin < moment.time <= span.times[-1]]
    # In a shorter one, each window of the trend has a whole epoch.
    long_epochs = bool(inside) and seconds / (len(inside) + 1) > seconds / WINDOWS
    trend = _compare_epochs(series, begin, course) if long_epochs else None
    if trend is None:
        points = level_shapes(span.times, span.values, course.elements)
        trend = find_steady_rise(points)
        if trend is None or not _is_above_before(series, begin):
            return None
        if long_epochs and not _rise_edges_of_epochs(points, inside, trend):
            return None
    if trend.rise < least_bytes:
        return None
    return Growth(trend.per_second, seconds, span.steps[-1] - span.steps[0], trend.rise)


def _is_above_before(series: Series, begin: float) -> bool:
    """The training holds more than it ever did before."""
    before = sorted(series.values[: bisect_left(series.times, begin)])
    if not before:
        return True
    return min(series.values[-_LAST_BUCKETS:]) >= before[int(_HIGHEST_BEFORE * (len(before) - 1))]


def _rise_edges_of_epochs(points: Sequence[Point], epochs: Sequence[Moment], trend: Trend) -> bool:
    """From epoch to epoch, the least in use rises too: it is not given back at their ends."""
    times = [time for time, _ in points]
    cuts = [0, *(bisect_left(times, moment.time) for moment in epochs), len(times)]
    edges = [
        min(points[first:last], key=lambda point: point[1])
        for first, last in pairwise(cuts)
        if last > first
    ]
    seconds = edges[-1][0] - edges[0][0]
    return edges[-1][1] - edges[0][1] >= _LEAST_OF_EACH_EPOCH * trend.per_second * seconds


def _compare_epochs(series: Series, begin: float, course: Course) -> Trend | None:
    """The growth from one epoch to the next at the same step with the same size of the batch."""
    rates: dict[int, list[float]] = {}
    begins = [moment.time for moment in course.epochs]
    length = _measure_epoch(course.epochs)
    for i in range(bisect_left(series.times, begin), len(series.times)):
        number = bisect_right(begins, series.times[i]) - 1
        twin = _find_twin(series, series.steps[i] - length) if length and number > 0 else None
        if twin is None or not have_equal_sizes(course.elements, series.times[i], twin.near):
            continue
        rate = (series.values[i] - twin.value) / (series.times[i] - twin.time)
        rates.setdefault(number, []).append(rate)
    rates = {number: found for number, found in rates.items() if len(found) >= _LEAST_TWINS}
    every = [rate for found in rates.values() for rate in found]
    if len(rates) < _LEAST_EPOCHS or len(every) < WINDOWS:
        return None
    middle = statistics.median(every)
    noise = statistics.median(abs(rate - middle) for rate in every)
    rising = sum(rate > 0 for rate in every) >= _RISING_SHARE * len(every)
    least = min(statistics.median(found) for found in rates.values())
    if middle <= 0 or not rising or middle < _RISE_TO_NOISE * noise:
        return None
    if least < _LEAST_OF_EACH_EPOCH * middle:
        return None
    # Where an epoch begins is known to a bucket: so much may come from what an epoch itself does.
    moves = statistics.median(abs(late - early) for early, late in pairwise(series.values))
    seconds = (begins[-1] - begins[0]) / (len(begins) - 1)
    if middle * seconds <= 2 * moves / (len(begins) - 1):
        return None
    return Trend(middle, middle * (series.times[-1] - begin))


def _measure_epoch(epochs: Sequence[Moment]) -> float:
    """Steps of an epoch; 0 where they differ by more than the record is coarse."""
    lengths = [late.steps - early.steps for early, late in pairwise(epochs)]
    if not lengths:
        return 0.0
    mean = statistics.fmean(lengths)
    uneven = max(lengths) - min(lengths) > _UNEVEN * mean
    return 0.0 if uneven else mean


@dataclass(frozen=True)
class _Twin:
    """Between two buckets, at a step; `near` is the time of one of them."""

    time: float
    value: float
    near: float


def _find_twin(series: Series, steps: float) -> _Twin | None:
    late = bisect_left(series.steps, steps)
    if not 0 < late < len(series.steps):
        return None
    early = late - 1
    share = (steps - series.steps[early]) / (series.steps[late] - series.steps[early])
    return _Twin(
        time=series.times[early] + share * (series.times[late] - series.times[early]),
        value=series.values[early] + share * (series.values[late] - series.values[early]),
        near=series.times[late],
    )
