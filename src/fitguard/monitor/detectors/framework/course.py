"""The course of a training, as its flight record tells it: first step, epochs, new shapes."""

from dataclasses import dataclass

from fitguard.monitor.flight_record import Column, FlightRecord

_TELL_STEPS = ("step_seconds", "allocator_low_bytes", "allocator_bytes", "host_bytes")


@dataclass(frozen=True)
class Moment:
    """When something began."""

    time: float
    steps: float


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


def list_new_shapes(record: FlightRecord) -> list[float]:
    """When a batch came that was larger than all before, or a step was traced anew."""
    times = []
    largest = 0.0
    elements = record.get("batch_elements")
    for time, value in zip(elements.times, elements.high, strict=True):
        if value > largest:
            largest = value
            times.append(time)
    traces = record.get("traces")
    rises = [
        time
        for before, time, value in zip(traces.last, traces.times[1:], traces.last[1:], strict=False)
        if value > before
    ]
    # What is traced all the time explains no growth: it is one.
    few = len(rises) <= max(10, len(traces) // 5)
    return sorted([*times, *rises]) if few else times


def find_last(column: Column) -> float | None:
    """The newest value."""
    return column.last[-1] if len(column) else None
