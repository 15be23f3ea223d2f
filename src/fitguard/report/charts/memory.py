"""The memory of a run over time: host, GPU, TensorFlow's allocator, and what they may have."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from fitguard.report.blocks import Drawing
from fitguard.report.charts.line_chart import (
    Chart,
    Line,
    columns,
    draw_chart,
    mark_attempts,
    path,
)
from fitguard.report.charts.scale import ByteScale
from fitguard.report.charts.time_axis import TimeAxis
from fitguard.schema.run import MemorySample, Run
from fitguard.words import duration, join, size

Reading = Callable[[MemorySample], int | None]
READINGS: tuple[tuple[str, str, Reading], ...] = (
    ("host", "host", lambda sample: sample.host_bytes),
    ("GPU, as the driver counts", "gpu", lambda sample: sample.gpu_bytes),
    ("TensorFlow's allocator", "allocator", lambda sample: sample.allocator_bytes),
)


def draw_memory(run: Run) -> Drawing | None:
    """The picture; None where fewer than two samples were taken."""
    chart = memory_chart(run)
    return draw_chart(chart) if chart else None


def memory_chart(run: Run) -> Chart | None:
    """Host, GPU and allocator over time, with where each attempt started."""
    known = [value for sample in run.samples for _, _, of in READINGS if (value := of(sample))]
    if len(run.samples) < 2 or not known:
        return None
    axis = TimeAxis(run)
    scale = ByteScale(max(known), _limit(run.samples))
    return Chart(
        title="Memory",
        description=_description(run.samples),
        across="time since the start",
        lines=tuple(_lines(run.samples, axis, scale)),
        left_ticks=tuple(scale.ticks()),
        below_ticks=tuple(axis.ticks()),
        uprights=tuple(mark_attempts(run, lambda attempt: axis.x(attempt.started))),
        columns=tuple(columns([(axis.x(s.time), _words(s, run)) for s in run.samples])),
        limit=scale.limit("limit of the host"),
        note=scale.note("The host may have"),
    )


def _lines(samples: Sequence[MemorySample], axis: TimeAxis, scale: ByteScale) -> Iterator[Line]:
    """One line for each reading that there is; each attempt is a piece of its own."""
    for label, slot, of in READINGS:
        pieces = []
        for _, attempt in groupby(samples, key=lambda sample: sample.attempt):
            known = [(sample.time, held) for sample in attempt if (held := of(sample)) is not None]
            pieces.append([(axis.x(time), scale.y(held)) for time, held in known])
        most = max((held for sample in samples if (held := of(sample))), default=0)
        if most:
            yield Line(label, slot, path(pieces), f"up to {size(most)}")


def _limit(samples: Sequence[MemorySample]) -> int | None:
    """The newest that is known."""
    limits = (sample.host_limit_bytes for sample in reversed(samples))
    return next((limit for limit in limits if limit), None)


def _words(sample: MemorySample, run: Run) -> str:
    readings = [
        f"{label} {size(held)}" for label, _, of in READINGS if (held := of(sample)) is not None
    ]
    free = sample.largest_free_bytes
    largest = f"largest free block {size(free)}" if free is not None else None
    since = duration(max(sample.time - run.started, 0.0))
    return join([since, *readings, largest, f"attempt {sample.attempt}"])


def _description(samples: Sequence[MemorySample]) -> str:
    peaks = []
    for label, _, of in READINGS:
        if most := max((held for sample in samples if (held := of(sample))), default=0):
            peaks.append(f"{label}: up to {size(most)}")
    return f"{'; '.join(peaks)}."
