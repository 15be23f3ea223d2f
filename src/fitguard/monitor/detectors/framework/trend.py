"""A steady rise in a noisy series: judged by windows, so that single values do not count."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter

WINDOWS = 12
_RISING_PAIRS = 0.9
_STILL_RISING = 0.7
"""Of the whole slope, that the last third must have: what levels off is no leak."""
_LEAST_RISE_TO_NOISE = 4.0

Point = tuple[float, float]
"""Seconds and value."""


@dataclass(frozen=True)
class Trend:
    """A steady rise.

    Args:
        per_second: By Theil and Sen: the median of the slopes of all pairs of windows; of the last
            third of them where that is less.
        rise: Over the whole time.
    """

    per_second: float
    rise: float


def find_steady_rise(points: Sequence[Point]) -> Trend | None:
    """The rise of the lower edge of a series, None where it does not rise steadily.

    The lowest value of each of 12 windows stands for it: peaks within a step or an epoch go away.
    Of all pairs of windows, the later must be higher in 90 %; the last third must rise by 70 % of
    the whole slope; and the rise must be 4 times what the windows lie off the line.

    Args:
        points: In the order of time.
    """
    edges = list(_find_edges(points))
    if len(edges) < WINDOWS:
        return None
    slopes = _list_slopes(edges)
    slope = statistics.median(slopes)
    if slope <= 0 or sum(one > 0 for one in slopes) < _RISING_PAIRS * len(slopes):
        return None
    late = statistics.median(_list_slopes(edges[-WINDOWS // 3 :]))
    if late < _STILL_RISING * slope:
        return None
    rise = slope * (edges[-1][0] - edges[0][0])
    if rise < _LEAST_RISE_TO_NOISE * _measure_noise(edges, slope):
        return None
    return Trend(min(slope, late), rise)


def _find_edges(points: Sequence[Point]) -> Iterator[Point]:
    """The lowest points of windows with as many points each."""
    for number in range(WINDOWS):
        first, last = (len(points) * one // WINDOWS for one in (number, number + 1))
        if last > first:
            yield min(points[first:last], key=itemgetter(1))


def _list_slopes(edges: Sequence[Point]) -> list[float]:
    return [
        (later[1] - earlier[1]) / (later[0] - earlier[0])
        for earlier, later in combinations(edges, 2)
    ]


def _measure_noise(edges: Sequence[Point], slope: float) -> float:
    """How far the windows usually lie off the line."""
    offsets = [value - slope * seconds for seconds, value in edges]
    middle = statistics.median(offsets)
    return statistics.median(abs(offset - middle) for offset in offsets)
