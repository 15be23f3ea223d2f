"""The flight record: what was measured while a training ran, there after it was killed too.

A file of a fixed size, with a ring for each pace: every sample of the last minutes, then the
lowest, the highest and the last value of 5 seconds, then of 2 minutes. So a month takes as little
as an hour, and no peak is lost. It is written with `pwrite`: what a process has written so is
there after SIGKILL, as with memory that is mapped, but a full disk costs a sample and not, with
SIGBUS, the training.

header   4096 bytes: magic, length of the JSON, its checksum, the JSON: columns and rings
ring     slots of: number (8 bytes), time and steps (8 bytes each), float32 values, number again

A slot whose two numbers differ was being written. Slot i holds the number n with n % slots == i,
n from 1, so the numbers tell where the ring begins.
"""

import math
import struct
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from fitguard.monitor.regular_files import UNDECODABLE, read_regular

MAGIC = b"FGREC1\n\0"
HEADER_BYTES = 4096 * 4
_START = struct.Struct("<8sII")
INFINITE = 3e38
"""What a float32 has for infinity here: a value from this on is one, or was nan in a loss."""
_MOST_COLUMNS = 2000
_MOST_BYTES = 64 << 20


class Ring(msgspec.Struct, frozen=True, array_like=True):
    """Samples of one pace.

    Args:
        seconds: That a slot stands for; 0 where it holds one sample.
        slots: How many there are.
    """

    seconds: float
    slots: int

    @property
    def rows(self) -> int:
        """Values of each column in a slot: the sample, or lowest, highest and last."""
        return 3 if self.seconds else 1


RINGS = (Ring(0, 3000), Ring(5, 2880), Ring(120, 21600))
"""Five minutes of ten samples a second; four hours; thirty days."""


class Layout(msgspec.Struct, frozen=True):
    """What the header says."""

    columns: tuple[str, ...]
    rings: tuple[Ring, ...] = RINGS

    def slot_bytes(self, ring: Ring) -> int:
        """Of one slot; a multiple of 8."""
        values = len(self.columns) * ring.rows
        return 32 + 4 * (values + values % 2)

    def offset(self, number: int) -> int:
        """Where a ring begins in the file."""
        before = self.rings[:number]
        return HEADER_BYTES + sum(self.slot_bytes(ring) * ring.slots for ring in before)

    @property
    def file_bytes(self) -> int:
        """Of the whole file."""
        return self.offset(len(self.rings))


class NoFlightRecord(ValueError):
    """The file is none, or is of another version; the message says which."""


@dataclass(frozen=True)
class Column:
    """One thing over time, the oldest first; what could not be measured is left out.

    Args:
        low: Lowest value of the time that the entry stands for; `high` the highest; both are
            `last` where it stands for one sample.
        steps: Steps that were trained by then.
    """

    times: Sequence[float] = ()
    steps: Sequence[float] = ()
    low: Sequence[float] = ()
    high: Sequence[float] = ()
    last: Sequence[float] = ()

    def __len__(self) -> int:
        return len(self.times)

    def since(self, time: float) -> "Column":
        """From a moment on."""
        first = bisect_left(self.times, time)
        return Column(*(part[first:] for part in _parts(self)))

    def pick(self, indices: Sequence[int]) -> "Column":
        """Some entries."""
        parts = (self.times, self.steps, self.low, self.high, self.last)
        return Column(*(array("d", [part[i] for i in indices]) for part in parts))


@dataclass(frozen=True)
class FlightRecord:
    """What was measured, by column.

    Args:
        columns: By name, see `schema.metrics`; one that was never measured is not there.
    """

    columns: Mapping[str, Column] = field(default_factory=dict)

    def get(self, name: str) -> Column:
        """A column; an empty one where it was never measured."""
        return self.columns.get(name, Column())

    def list_gpus(self) -> list[int]:
        """Indices of the GPUs that were measured."""
        found = {name.partition(":")[2] for name in self.columns}
        return sorted(int(index) for index in found if index.isdecimal())

    def since(self, time: float) -> "FlightRecord":
        """From a moment on."""
        return FlightRecord({name: one.since(time) for name, one in self.columns.items()})

    def between(self, begin: float, end: float) -> "FlightRecord":
        """From a moment to another; a column without a value then is not there."""
        found = {}
        for name, column in self.columns.items():
            inside = [i for i, time in enumerate(column.times) if begin <= time <= end]
            if inside:
                found[name] = column.pick(inside)
        return FlightRecord(found)

    @property
    def last_time(self) -> float:
        """Of the newest sample; 0 without one."""
        return max((column.times[-1] for column in self.columns.values() if len(column)), default=0)


def pack_header(layout: Layout) -> bytes:
    """The first bytes of a file.

    Raises:
        ValueError: for more columns than the header can hold.
    """
    text = msgspec.json.encode(layout)
    if _START.size + len(text) > HEADER_BYTES:
        raise ValueError(f"Received {len(layout.columns)} columns, too many for a flight record.")
    head = _START.pack(MAGIC, len(text), zlib.crc32(text)) + text
    return head.ljust(HEADER_BYTES, b"\0")


def parse_header(content: bytes) -> Layout:
    """What a file holds.

    Raises:
        NoFlightRecord: where it is none.
    """
    if len(content) < HEADER_BYTES or not content.startswith(MAGIC):
        raise NoFlightRecord("it does not begin as a flight record does")
    _, length, checksum = _START.unpack_from(content)
    text = content[_START.size : _START.size + length]
    if length > HEADER_BYTES - _START.size or zlib.crc32(text) != checksum:
        raise NoFlightRecord("its beginning is damaged")
    try:
        layout = msgspec.json.decode(text, type=Layout)
    except UNDECODABLE as error:
        raise NoFlightRecord(str(error)) from error
    fits = all(ring.slots > 0 and math.isfinite(ring.seconds) for ring in layout.rings)
    if not fits or len(layout.columns) > _MOST_COLUMNS or layout.file_bytes > _MOST_BYTES:
        raise NoFlightRecord("its beginning asks for more than any record has")
    return layout


def read_flight_record(
    path: Path, only: Collection[str] | None = None, *, pace: float | None = None
) -> FlightRecord:
    """One file; see `read_flight_records`.

    Raises:
        OSError: where it cannot be read.
        NoFlightRecord: where it is none.
    """
    content = read_regular(path, _MOST_BYTES)
    layout = parse_header(content)
    wanted = [
        c for c, name in enumerate(layout.columns) if only is None or name.partition(":")[0] in only
    ]
    rings = [
        _read_ring(content, layout, number, wanted)
        for number, ring in enumerate(layout.rings)
        if pace is None or ring.seconds == pace
    ]
    columns = _join_rings(rings, len(wanted))
    named = zip((layout.columns[c] for c in wanted), columns, strict=True)
    return FlightRecord({name: column for name, column in named if len(column)})


def read_flight_records(
    paths: Iterable[Path], only: Collection[str] | None = None, *, pace: float | None = None
) -> FlightRecord:
    """All files of a run as one; those that cannot be read are left out.

    Args:
        only: Names of metrics: a month of all of them takes a second to read.
        pace: Only the rings whose slots stand for so many seconds: quicker, and even.
    """
    columns: dict[str, Column] = {}
    for path in paths:
        try:
            found = read_flight_record(path, only, pace=pace).columns
        except (OSError, NoFlightRecord):
            continue
        for name, column in found.items():
            columns[name] = _merge(columns[name], column) if name in columns else column
    return FlightRecord(columns)


@dataclass(frozen=True)
class _Slots:
    """The whole slots of a ring, the oldest first: `low[c]` are the values of a column."""

    times: Sequence[float]
    steps: Sequence[float]
    low: list[list[float]]
    high: list[list[float]]
    last: list[list[float]]


def _read_ring(content: bytes, layout: Layout, number: int, wanted: Sequence[int]) -> _Slots:
    ring = layout.rings[number]
    start, width = layout.offset(number), layout.slot_bytes(ring)
    region = memoryview(content)[start : start + width * ring.slots]
    region = region[: len(region) // width * width]
    numbers, doubles, floats = region.cast("Q"), region.cast("d"), region.cast("f")
    first, second = numbers[0 :: width // 8], numbers[width // 8 - 1 :: width // 8]
    whole = [
        (one, i)
        for i, (one, two) in enumerate(zip(first, second, strict=True))
        if one == two and one > 0 and one % ring.slots == i
    ]
    times, steps = doubles[1 :: width // 8], doubles[2 :: width // 8]
    order = [i for _, i in sorted(whole) if math.isfinite(times[i] + steps[i])]
    rows = []
    for row in range(ring.rows):
        begin = 6 + row * len(layout.columns)
        views = [floats[begin + c :: width // 4] for c in wanted]
        rows.append([[view[i] for i in order] for view in views])
    return _Slots(
        [times[i] for i in order],
        [steps[i] for i in order],
        rows[0],
        rows[len(rows) // 2],
        rows[-1],
    )


def _join_rings(rings: Sequence[_Slots], columns: int) -> Iterator[Column]:
    """Of each time the ring that tells most; they are sorted from the finest to the widest."""
    entries: list[tuple[float, int, int]] = []
    begins = math.inf
    for number, slots in enumerate(rings):
        entries += [(time, number, i) for i, time in enumerate(slots.times) if time < begins]
        begins = min([begins, *slots.times])
    entries.sort()
    for c in range(columns):
        known = [(r, i) for _, r, i in entries if (last := rings[r].last[c][i]) == last]
        yield Column(
            array("d", [rings[r].times[i] for r, i in known]),
            array("d", [rings[r].steps[i] for r, i in known]),
            array("d", [rings[r].low[c][i] for r, i in known]),
            array("d", [rings[r].high[c][i] for r, i in known]),
            array("d", [rings[r].last[c][i] for r, i in known]),
        )


def _merge(one: Column, other: Column) -> Column:
    times = [*one.times, *other.times]
    order = sorted(range(len(times)), key=times.__getitem__)
    joined = Column(
        *([*left, *right] for left, right in zip(_parts(one), _parts(other), strict=True))
    )
    return joined.pick(order)


def _parts(column: Column) -> Iterator[Sequence[float]]:
    yield from (column.times, column.steps, column.low, column.high, column.last)
