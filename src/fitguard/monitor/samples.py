"""Memory over time for the document of a run, out of its flight record."""

import math
from bisect import bisect_right
from itertools import groupby
from pathlib import Path

from fitguard.monitor.flight_record import Column, FlightRecord, read_flight_records
from fitguard.schema.run import MemorySample

MOST_SHOWN = 2000
"""Of more samples, neighbours become one, which keeps their extremes."""
_LEAST_SECONDS = 1.0
_MOST = 2.0**62
_GPU = "gpu_process_bytes"
_PEAK = "allocator_peak_bytes"
_HIGHEST = (
    *("host_bytes", "host_limit_bytes"),
    *("allocator_bytes", _PEAK, "allocator_limit_bytes"),
)
_LOWEST = ("largest_free_bytes",)
_COLUMNS = frozenset(("attempt", _GPU, *_HIGHEST, *_LOWEST))


def read_samples(folder: Path, most: int = MOST_SHOWN) -> list[MemorySample]:
    """Samples of memory, in the order of time; none where there is no flight record.

    Args:
        folder: Of the flight records.
    """
    return build_samples(read_flight_records(list_flight_records(folder), _COLUMNS), most)


def find_peak(folder: Path) -> int:
    """The most that TensorFlow's allocator had in use; 0 where nobody measured it.

    Args:
        folder: Of the flight records.
    """
    record = read_flight_records(list_flight_records(folder), {_PEAK})
    return _as_whole(max(record.get(_PEAK).high, default=0))


def list_flight_records(folder: Path) -> list[Path]:
    """The files of a run: of its training process, and of who guards or watches it."""
    return sorted(folder.glob("*.record"))


def build_samples(record: FlightRecord, most: int = MOST_SHOWN) -> list[MemorySample]:
    """About so many samples at most: one for each second and attempt, or for a longer time."""
    attempts = record.get("attempt")
    if not len(attempts):
        return []
    seconds = max(_LEAST_SECONDS, (attempts.times[-1] - attempts.times[0]) / most)
    groups = groupby(
        range(len(attempts)), lambda i: (attempts.last[i], attempts.times[i] // seconds)
    )
    samples = []
    before = -math.inf
    for (attempt, _), group in groups:
        *_, end = group
        until, steps = attempts.times[end], _as_whole(attempts.steps[end])
        found = _read_between(record, before, until)
        samples.append(
            MemorySample(time=until, attempt=_as_whole(attempt), total_steps=steps, **found)
        )
        before = until
    return samples


def _read_between(record: FlightRecord, before: float, until: float) -> dict[str, int]:
    """The extremes of that time, by field; those that nobody measured then are not there."""
    found: dict[str, int] = {}
    for name, column in record.columns.items():
        first, behind = bisect_right(column.times, before), bisect_right(column.times, until)
        if first == behind:
            continue
        if name in _LOWEST:
            found[name] = _as_whole(min(column.low[first:behind]))
        elif name in _HIGHEST:
            found[name] = _find_highest(column, first, behind)
        elif name.startswith(_GPU):
            found["gpu_bytes"] = found.get("gpu_bytes", 0) + _find_highest(column, first, behind)
    return found


def _find_highest(column: Column, first: int, behind: int) -> int:
    return _as_whole(max(column.high[first:behind]))


def _as_whole(value: float) -> int:
    """What JSON can hold, whatever the file says."""
    return int(max(-_MOST, min(_MOST, value)))
