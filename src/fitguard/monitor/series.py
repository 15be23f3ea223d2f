"""What a flight record holds, thinned out for documents and pictures."""

import math
from collections.abc import Collection, Iterator

from fitguard.monitor.flight_record import Column, read_flight_records
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import list_flight_records
from fitguard.schema.run import Series

MOST_POINTS = 400
"""Of one series: more would not be seen."""
DRAWN = (
    *("step_seconds", "slowest_step_seconds", "input_seconds"),
    *("allocator_low_bytes", "allocator_peak_bytes", "allocator_limit_bytes"),
    *("gpu_busy_ratio", "gpu_temperature", "gpu_power", "gpu_clock"),
)
"""The metrics that pages show over time."""


def read_series(folder: RunFolder, names: Collection[str] = DRAWN) -> tuple[Series, ...]:
    """What was measured in a run; nothing where there are no flight records."""
    record = read_flight_records(list_flight_records(folder.flight_records), names)
    return tuple(thin_column(name, record.get(name)) for name in sorted(record.columns))


def thin_column(name: str, column: Column, most: int = MOST_POINTS) -> Series:
    """At most so many points; each keeps the extremes of those that it stands for."""
    column = column.pick(list(_list_finite(column)))
    parts = list(_split(len(column), most))
    return Series(
        name=name,
        times=tuple(column.times[part.stop - 1] for part in parts),
        low=tuple(min(column.low[part]) for part in parts),
        high=tuple(max(column.high[part]) for part in parts),
        last=tuple(column.last[part.stop - 1] for part in parts),
    )


def _list_finite(column: Column) -> Iterator[int]:
    """Which entries can be drawn: a file may hold anything."""
    parts = (column.times, column.low, column.high, column.last)
    for i, values in enumerate(zip(*parts, strict=True)):
        if all(map(math.isfinite, values)):
            yield i


def _split(length: int, most: int) -> Iterator[slice]:
    width = max(-(-length // most), 1)
    for start in range(0, length, width):
        yield slice(start, min(start + width, length))
