"""What was measured in each step, over time: memory by phase, speed, time, the GPUs."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from fitguard.report.blocks import Drawing
from fitguard.report.charts.line_chart import (
    Chart,
    Line,
    Mark,
    columns,
    draw_chart,
    mark_attempts,
    path,
)
from fitguard.report.charts.scale import ByteScale, MetricScale
from fitguard.report.charts.shapes import Point
from fitguard.report.charts.time_axis import TimeAxis
from fitguard.schema.run import Run, Series
from fitguard.words import duration, join, size

_SLOTS = ("0", "1", "gpu", "again")
_MOST_GPUS = len(_SLOTS)


class Reading(NamedTuple):
    """One line of a chart.

    Args:
        values: A value for each time of the series.
    """

    label: str
    slot: str
    series: Series
    values: tuple[float, ...]


class Scale(Protocol):
    """From values to heights."""

    def y(self, value: float, /) -> float: ...
    def ticks(self) -> Iterator[Mark]: ...


def draw_steps(run: Run) -> Iterator[Drawing]:
    """Pictures of what steps take: memory and time; none of what was not measured twice."""
    charts = (_build_step_memory(run), _build_speed(run), _build_step_time(run))
    yield from (draw_chart(chart) for chart in charts if chart is not None)


def draw_gpus(run: Run) -> Iterator[Drawing]:
    """Pictures of how busy, warm and fast the GPUs are."""
    charts = (_build_gpus(run, *shown) for shown in _EACH_GPU)
    yield from (draw_chart(chart) for chart in charts if chart is not None)


def _build_step_memory(run: Run) -> Chart | None:
    """Between two steps there is what stays: weights, optimizer, and what leaks."""
    readings = [
        _take(run, "allocator_peak_bytes", "most in a step", "allocator", lambda s: s.high),
        _take(run, "allocator_low_bytes", "between two steps", "0", lambda s: s.low),
    ]
    limits = _take(run, "allocator_limit_bytes", "limit", "", lambda s: s.last)
    highest = max((value for one in readings for value in one.values), default=0)
    limit = int(limits.values[-1]) if limits.values else None
    scale = ByteScale(int(highest), limit)
    chart = _build(run, "Memory by phase of the step", readings, scale, lambda v: size(int(v)))
    if chart is None:
        return None
    return chart._replace(
        limit=scale.limit("TensorFlow may have"), note=scale.note("TensorFlow may have")
    )


def _build_speed(run: Run) -> Chart | None:
    reading = _take(run, "step_seconds", "all steps", "0", _reckon_speed)
    return _build_metric(run, "Speed", [reading], "steps a second")


def _reckon_speed(series: Series) -> tuple[float, ...]:
    return tuple(1 / seconds if seconds > 0 else 0.0 for seconds in series.last)


def _build_step_time(run: Run) -> Chart | None:
    readings = [
        _take(run, "step_seconds", "a step", "0", lambda s: s.last),
        _take(run, "slowest_step_seconds", "the slowest step", "so-far", lambda s: s.high),
        _take(run, "input_seconds", "waiting for its data", "1", lambda s: s.last),
    ]
    in_ms = [one._replace(values=tuple(1000 * v for v in one.values)) for one in readings]
    return _build_metric(run, "Time of a step", in_ms, "ms")


_EACH_GPU: tuple[tuple[str, str, str, float], ...] = (
    ("gpu_busy_ratio", "GPU busy", "%", 100),
    ("gpu_temperature", "GPU temperature", "°C", 1),
    ("gpu_power", "GPU power", "W", 1),
    ("gpu_clock", "GPU clock", "MHz", 1e-6),
)


def _build_gpus(run: Run, metric: str, title: str, unit: str, factor: float) -> Chart | None:
    names = [one.name for one in run.series if one.name.partition(":")[0] == metric]
    readings = [
        _take(run, name, f"GPU {name.partition(':')[2]}", slot, lambda s: s.last)
        for name, slot in zip(sorted(names), _SLOTS, strict=False)
    ]
    scaled = [one._replace(values=tuple(factor * v for v in one.values)) for one in readings]
    chart = _build_metric(run, title, scaled, unit)
    left_out = len(names) - _MOST_GPUS
    if chart is None or left_out <= 0:
        return chart
    return chart._replace(note=f"{left_out} more GPUs are in the JSON.")


def _build_metric(run: Run, title: str, readings: Sequence[Reading], unit: str) -> Chart | None:
    values = [value for one in readings for value in one.values]
    # From zero up: a few percent of noise must not look like trouble.
    scale = MetricScale(min([0.0, *values]), max(values, default=1.0))
    return _build(run, title, readings, scale, lambda value: f"{_say(value)} {unit}")


def _say(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _build(
    run: Run,
    title: str,
    readings: Sequence[Reading],
    scale: Scale,
    say: Callable[[float], str],
) -> Chart | None:
    """Lines over the time of the run; each attempt is a piece of its own."""
    drawn = [one for one in readings if len(one.values) > 1]
    if not drawn:
        return None
    axis = TimeAxis(run)
    starts = [attempt.started for attempt in run.attempts]
    lines = (
        Line(one.label, one.slot, path(_split(one, starts, axis, scale)), say(one.values[-1]))
        for one in drawn
    )
    ranges = (f"{one.label}: {say(min(one.values))} to {say(max(one.values))}" for one in drawn)
    return Chart(
        title=title,
        description=f"{'; '.join(ranges)}.",
        across="time since the start",
        lines=tuple(lines),
        left_ticks=tuple(scale.ticks()),
        below_ticks=tuple(axis.ticks()),
        uprights=tuple(mark_attempts(run, lambda attempt: axis.x(attempt.started))),
        columns=tuple(columns(_describe(run, drawn, axis, say))),
    )


def _split(
    reading: Reading, starts: Sequence[float], axis: TimeAxis, scale: Scale
) -> list[list[Point]]:
    pieces: dict[int, list[Point]] = {}
    for time, value in zip(reading.series.times, reading.values, strict=True):
        attempt = sum(start <= time for start in starts)
        pieces.setdefault(attempt, []).append((axis.x(time), scale.y(value)))
    return list(pieces.values())


def _describe(
    run: Run, readings: Sequence[Reading], axis: TimeAxis, say: Callable[[float], str]
) -> list[tuple[float, str]]:
    """What the pointer is told, at each time of the first line."""
    first, *others = readings
    at = [dict(zip(one.series.times, one.values, strict=True)) for one in others]
    said = []
    for time, value in zip(first.series.times, first.values, strict=True):
        beside = [
            f"{one.label} {say(known[time])}"
            for one, known in zip(others, at, strict=True)
            if time in known
        ]
        since = duration(max(time - run.started, 0.0))
        said.append((axis.x(time), join([since, f"{first.label} {say(value)}", *beside])))
    return said


def _take(
    run: Run, name: str, label: str, slot: str, of: Callable[[Series], tuple[float, ...]]
) -> Reading:
    """A series of the run; an empty one where it was not measured."""
    series = next((one for one in run.series if one.name == name), Series(name=name))
    return Reading(label, slot, series, of(series))
