"""A flight record as detectors want it: in even pieces, with steps that only rise.

Its rings have three paces, and steps begin anew with each call of `fit`.
"""

from array import array
from dataclasses import replace
from itertools import pairwise

from fitguard.monitor.flight_record import Column, FlightRecord

_LOOKED_AT = 50


def thin_record(record: FlightRecord, seconds: float) -> FlightRecord:
    """At most one entry for each so many seconds: lowest, highest and last value of them."""
    columns = {name: _thin(column, seconds) for name, column in record.columns.items()}
    return FlightRecord({name: _add_up_steps(column) for name, column in columns.items()})


def _add_up_steps(column: Column) -> Column:
    """Where they fall, another `fit` has begun."""
    steps = column.steps
    if all(early <= late for early, late in pairwise(steps)):
        return column
    total, summed = steps[0], [steps[0]]
    for early, late in pairwise(steps):
        total += late - early if late >= early else late
        summed.append(total)
    return replace(column, steps=array("d", summed))


def _thin(column: Column, seconds: float) -> Column:
    times = column.times
    newest = times[-_LOOKED_AT:]
    if len(newest) < 2 or newest[-1] - newest[0] >= 0.9 * seconds * (len(newest) - 1):
        return column  # the newest entries are the closest ones
    parts = tuple(array("d") for _ in range(5))
    bucket = None
    for i, time in enumerate(times):
        new = (time // seconds) != bucket
        bucket = time // seconds
        if new:
            for part, value in zip(parts, _entry(column, i), strict=True):
                part.append(value)
        else:
            kept_times, steps, low, high, last = parts
            kept_times[-1], steps[-1], last[-1] = time, column.steps[i], column.last[i]
            low[-1] = min(low[-1], column.low[i])
            high[-1] = max(high[-1], column.high[i])
    return Column(*parts)


def _entry(column: Column, i: int) -> tuple[float, ...]:
    return (column.times[i], column.steps[i], column.low[i], column.high[i], column.last[i])
