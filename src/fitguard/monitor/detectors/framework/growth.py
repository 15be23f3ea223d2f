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
from fitguard.monitor.detectors.framework.shapes import level_shapes
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
    trend = _compare_epochs(series, begin, epochs) if long_epochs else None
    if trend is None:
        trend = find_steady_rise(level_shapes(span.times, span.values, course.elements))
        if trend is None or not _is_above_before(series, begin):
            return None
        if long_epochs and not _rise_edges_of_epochs(span, inside, trend):
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


def _rise_edges_of_epochs(span: Series, epochs: Sequence[Moment], trend: Trend) -> bool:
    """From epoch to epoch, the least in use rises too: it is not given back at their ends."""
    cuts = [0, *(bisect_left(span.times, moment.time) for moment in epochs), len(span.times)]
    edges: list[Point] = []
    for first, last in pairwise(cuts):
        if last > first:
            lowest = min(range(first, last), key=span.values.__getitem__)
            edges.append((span.times[lowest], span.values[lowest]))
    seconds = edges[-1][0] - edges[0][0]
    return edges[-1][1] - edges[0][1] >= _LEAST_OF_EACH_EPOCH * trend.per_second * seconds


def _compare_epochs(series: Series, begin: float, epochs: Sequence[Moment]) -> Trend | None:
    """The growth from one epoch to the next at the same step of them, since a moment."""
    begins = [moment.time for moment in epochs]
    rates: dict[int, list[float]] = {}
    for i in range(bisect_left(series.times, begin), len(series.times)):
        time = series.times[i]
        number = bisect_right(begins, time) - 1
        if number < 1:
            continue
        steps = epochs[number - 1].steps + series.steps[i] - epochs[number].steps
        twin = bisect_left(series.steps, steps)
        if 0 < twin < len(series.steps) and series.times[twin] < begins[number]:
            rate = (series.values[i] - series.values[twin]) / (time - series.times[twin])
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
    return Trend(middle, middle * (series.times[-1] - begin))
