"""Memory at equal shapes: what goes up and down with the size of the batch is no growth."""

import statistics
from collections.abc import Mapping, Sequence

from fitguard.monitor.detectors.framework.trend import Point

_VARIES = 0.02
"""Deviation from the mean, as a share of it, from which on the size of batches counts."""
_GROWS = 0.003
_MINUTE = 60.0
_LEAST_APART = 0.05
"""Of what the sizes vary, that time must not explain: else the two cannot be told apart."""


def level_shapes(
    times: Sequence[float], values: Sequence[float], elements: Mapping[float, float]
) -> list[Point]:
    """The values as they were with batches of the mean size.

    By least squares: value = a + b * time + c * size; c times the deviation from the mean size is
    taken out. Between steps of an evaluation the size is that of the last batch.
    """
    sizes: list[float] = []
    for time in times:
        sizes.append(elements.get(time, sizes[-1] if sizes else 0.0))
    mean = statistics.fmean(sizes) if sizes else 0.0
    if not mean or statistics.pstdev(sizes) < _VARIES * mean:
        return list(zip(times, values, strict=True))
    slope = _fit_size(times, values, sizes)
    return [
        (time, value - slope * (size - mean))
        for time, value, size in zip(times, values, sizes, strict=True)
    ]


def _fit_size(times: Sequence[float], values: Sequence[float], sizes: Sequence[float]) -> float:
    """What one more element takes; 0 where that cannot be told from time, or would be negative."""
    t, v, s = (_center(part) for part in (times, values, sizes))
    tt, ss, ts = _dot(t, t), _dot(s, s), _dot(t, s)
    apart = ss - ts * ts / tt if tt else 0.0
    if apart < _LEAST_APART * ss:
        return 0.0
    return max(0.0, (_dot(s, v) - ts * _dot(t, v) / tt) / apart)


def _center(values: Sequence[float]) -> list[float]:
    mean = statistics.fmean(values)
    return [value - mean for value in values]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def do_batches_grow(elements: Mapping[float, float], begin: float, end: float) -> bool:
    """Whether the largest batch of the last third of a time is larger than all up to its first."""
    third = (end - begin) / 3
    early = _find_largest(elements, 0.0, begin + third)
    return _find_largest(elements, end - third, end) > (1 + _GROWS) * early > 0


def have_equal_sizes(elements: Mapping[float, float], one: float, other: float) -> bool:
    """Whether the batches of two moments have the same size, as far as that is known."""
    size = elements.get(one, 0.0)
    return abs(elements.get(other, size) - size) <= _GROWS * size


def do_sizes_change(elements: Mapping[float, float], moment: float) -> bool:
    """Whether the largest batch of the minute after a moment is another than before it."""
    before = _find_largest(elements, moment - _MINUTE, moment)
    after = _find_largest(elements, moment, moment + _MINUTE)
    return abs(after - before) > _GROWS * before


def _find_largest(elements: Mapping[float, float], begin: float, end: float) -> float:
    return max((size for time, size in elements.items() if begin <= time <= end), default=0.0)
