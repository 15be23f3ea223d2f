"""The course of a training, as its flight record tells it: first step, epochs, new shapes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fitguard.monitor.flight_record import Column, FlightRecord

_FEW_TRACES = 10
_TELL_STEPS = ("step_seconds", "allocator_low_bytes", "allocator_bytes", "host_bytes")


@dataclass(frozen=True)
class Moment:
    """When something began."""

    time: float
    steps: float


@dataclass(frozen=True)
class Course:
    """What memory may depend on.

    Args:
        elements: Of the batches, by time.
    """

    epochs: Sequence[Moment] = ()
    elements: Mapping[float, float] = field(default_factory=dict)


def find_first_step(record: FlightRecord) -> float | None:
    """When the first step of the attempt was done; None where none was."""
    found = [time for name in _TELL_STEPS if (time := _find_advance(record.get(name))) is not None]
    return min(found, default=None)


def _find_advance(column: Column) -> float | None:
    for time, steps in zip(column.times, column.steps, strict=True):
        if steps > column.steps[0]:
            return time
    return None


def list_epochs(record: FlightRecord) -> list[Moment]:
    """Where each epoch of each call of `fit` began, as far as the record goes back."""
    fits = dict(zip(record.get("fit").times, record.get("fit").last, strict=True))
    epochs = record.get("epoch")
    moments: list[Moment] = []
    before: tuple[float, float] | None = None
    for time, steps, epoch in zip(epochs.times, epochs.steps, epochs.last, strict=True):
        now = (fits.get(time, before[0] if before else 0.0), epoch)
        if now != before:
            moments.append(Moment(time, steps))
        before = now
    return moments


def list_new_sizes(record: FlightRecord) -> list[float]:
    """When a batch came that was larger than all before."""
    times = []
    largest = 0.0
    elements = record.get("batch_elements")
    for time, value in zip(elements.times, elements.high, strict=True):
        if value > largest:
            largest = value
            times.append(time)
    return times


def list_traces(record: FlightRecord) -> list[float]:
    """When a step was traced or compiled; none where that happens all the time: it is no excuse."""
    traces = record.get("traces")
    times = [
        time
        for (before, value), time in zip(pairwise(traces.last), traces.times[1:], strict=True)
        if value > before
    ]
    return times if len(times) <= max(_FEW_TRACES, len(traces) // 5) else []


def find_last(column: Column) -> float | None:
    """The newest value."""
    return column.last[-1] if len(column) else None
