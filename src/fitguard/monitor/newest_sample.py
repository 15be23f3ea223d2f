"""The newest sample of a flight record, without reading all of it."""

import math
import os
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from fitguard.monitor.flight_record import (
    HEADER_BYTES,
    INFINITE,
    Layout,
    NoFlightRecord,
    parse_header,
)
from fitguard.monitor.regular_files import open_unbuffered

_LOOKED_AT = 300
"""Samples: half a minute of them. What was measured earlier is not the newest of anything."""
_SPEED_SECONDS = 30.0
_HEAD = struct.Struct("<Qdd")


@dataclass(frozen=True)
class Sample:
    """One moment.

    Args:
        values: By column; what was not measured in this sample is from the one before it.
        steps_per_second: Of the last half minute; None where no step was taken in it.
        unreadable: Which files are left out, and why.
    """

    time: float = 0.0
    values: dict[str, float] = field(default_factory=dict)
    steps_per_second: float | None = None
    unreadable: tuple[str, ...] = ()


def read_newest_sample(paths: Iterable[Path], since: float = -math.inf) -> Sample:
    """The newest values of all files of a run.

    Args:
        since: Older samples are of an earlier attempt.
    """
    found = Sample()
    for path in paths:
        try:
            slots = [slot for slot in _read_slots(path) if slot.time >= since]
        except (OSError, NoFlightRecord) as error:
            why = error.strerror if isinstance(error, OSError) else error
            found = replace(found, unreadable=(*found.unreadable, f"{path.name}: {why}"))
            continue
        if slots:
            speed = _reckon_speed(slots)
            found = replace(
                found,
                time=max(found.time, slots[0].time),
                values=found.values | _join_values(slots),
                steps_per_second=found.steps_per_second if speed is None else speed,
            )
    return found


@dataclass(frozen=True)
class _Slot:
    time: float
    steps: float
    values: dict[str, float]


def _read_slots(path: Path) -> Iterator[_Slot]:
    """Those of the finest ring, the newest first."""
    with open_unbuffered(path) as file:
        layout = parse_header(os.pread(file.fileno(), HEADER_BYTES, 0))
        if not layout.rings:
            return
        ring = layout.rings[0]
        width = layout.slot_bytes(ring)
        region = os.pread(file.fileno(), width * ring.slots, layout.offset(0))
    numbers = memoryview(region[: len(region) // width * width]).cast("Q")
    last = max(
        (one for i, one in enumerate(numbers[:: width // 8]) if one % ring.slots == i), default=0
    )
    for number in range(last, max(last - min(_LOOKED_AT, ring.slots), 0), -1):
        slot = _unpack(region, width * (number % ring.slots), width, number, layout)
        if slot is not None:
            yield slot


def _unpack(region: bytes, at: int, width: int, number: int, layout: Layout) -> _Slot | None:
    """A slot; None for one that is being written, or was never."""
    if len(region) < at + width:
        return None
    first, time, steps = _HEAD.unpack_from(region, at)
    (second,) = struct.unpack_from("<Q", region, at + width - 8)
    if not first == second == number or not math.isfinite(time):
        return None
    values = struct.unpack_from(f"<{len(layout.columns)}f", region, at + _HEAD.size)
    pairs = zip(layout.columns, values, strict=True)
    known = {name: _read_value(value) for name, value in pairs if not math.isnan(value)}
    return _Slot(time, steps, known)


def _read_value(value: float) -> float:
    return math.copysign(math.inf, value) if abs(value) >= INFINITE else value


def _join_values(slots: list[_Slot]) -> dict[str, float]:
    joined: dict[str, float] = {}
    for slot in reversed(slots):
        joined |= slot.values
    return joined


def _reckon_speed(slots: list[_Slot]) -> float | None:
    newest = slots[0]
    recent = [slot for slot in slots if 0 < newest.time - slot.time <= _SPEED_SECONDS]
    if not recent or not newest.steps > recent[-1].steps:
        return None
    speed = (newest.steps - recent[-1].steps) / (newest.time - recent[-1].time)
    return speed if math.isfinite(speed) else None
