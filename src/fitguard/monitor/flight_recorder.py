"""Writes a flight record; see `flight_record` for the file."""

import array
import contextlib
import errno
import math
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fitguard.monitor.flight_record import (
    HEADER_BYTES,
    RINGS,
    Layout,
    NoFlightRecord,
    Ring,
    pack_header,
    parse_header,
)
from fitguard.monitor.regular_files import make_folder, open_regular

_NUMBER = struct.Struct("<Q")
_HEAD = struct.Struct("<Qdd")
_MOST = 3.4e38


class FlightRecorder:
    """One writer of samples. A disk that fails costs samples, and nothing else.

    It keeps no file open: a script that closes all files, and opens one of its own under the same
    number, must not find samples in it.

    Args:
        path: Continued where it has these columns; else a file beside it is begun, or the one that
            an earlier process began there.
        columns: What samples may hold, see `schema.metrics`.

    Attributes:
        problem: Why the last sample could not be written; None where it was.
    """

    def __init__(self, path: Path, columns: Sequence[str], rings: Sequence[Ring] = RINGS) -> None:
        self.problem: OSError | None = None
        self._layout = Layout(tuple(columns), tuple(rings))
        self._path: Path | None = None
        self._identity = (0, 0)
        self._paces: list[_Pace] = []
        try:
            make_folder(path.parent, path.parent.parent)
            self._begin(path)
        except OSError as error:
            self.problem = error

    def add(self, time: float, total_steps: float, values: Mapping[str, float | None]) -> None:
        """Write a sample; None and nan stand for what cannot be measured, as does no value."""
        if self._path is None:
            return
        found = (values.get(name) for name in self._layout.columns)
        row = [math.nan if value is None else float(value) for value in found]
        try:
            with self._opening(self._path) as file:
                for pace in self._paces:
                    pace.add(file, time, total_steps, row)
            self.problem = None
        except OSError as error:
            self.problem = error

    @property
    def columns(self) -> tuple[str, ...]:
        """What samples may hold."""
        return self._layout.columns

    @property
    def file_bytes(self) -> int:
        """What the file grows to."""
        return self._layout.file_bytes

    def close(self) -> None:
        """No more will come."""
        path, self._path = self._path, None
        if path is not None:
            with contextlib.suppress(OSError), self._opening(path) as file:
                for pace in self._paces:
                    pace.finish(file)

    @contextlib.contextmanager
    def _opening(self, path: Path) -> Iterator[int]:
        """The file that was begun, and no other that has its name now."""
        file = open_regular(path, os.O_RDWR)
        try:
            if _identify(file) != self._identity:
                raise OSError(errno.ESTALE, "another file has its name", str(path))
            yield file
        finally:
            os.close(file)

    def _begin(self, path: Path) -> None:
        """A file with our columns: this one, or the first beside it that has them or is free."""
        header = pack_header(self._layout)
        number = 1
        while self._path is None:
            beside = path if number == 1 else path.with_stem(f"{path.stem}-{number}")
            file = open_regular(beside, os.O_RDWR | os.O_CREAT)
            try:
                is_new = os.fstat(file).st_size == 0
                if is_new:
                    os.pwrite(file, header, 0)
                if is_new or self._is_ours(os.pread(file, HEADER_BYTES, 0)):
                    rings = range(len(self._layout.rings))
                    self._paces = [_Pace(file, self._layout, ring) for ring in rings]
                    self._path, self._identity = beside, _identify(file)
            finally:
                os.close(file)
            number += 1

    def _is_ours(self, header: bytes) -> bool:
        try:
            return parse_header(header) == self._layout
        except NoFlightRecord:
            return False


class _Pace:
    """One ring, as it is written."""

    def __init__(self, file: int, layout: Layout, number: int) -> None:
        self._ring = layout.rings[number]
        self._start, self._width = layout.offset(number), layout.slot_bytes(self._ring)
        self._written = self._find_last(file)
        self._bucket = 0
        self._moment = (0.0, 0.0)
        self._low: list[float] = []
        self._high: list[float] = []
        self._last: list[float] = []

    def add(self, file: int, time: float, steps: float, row: list[float]) -> None:
        """Take a sample.

        Raises:
            OSError: where the disk does not.
        """
        if not self._ring.seconds:
            self._write(file, time, steps, row)
            return
        bucket = int(time // self._ring.seconds)
        if bucket != self._bucket:
            self.finish(file)
        self._bucket, self._moment = bucket, (time, steps)
        if self._last:
            # A comparison with nan is false: what is not known changes nothing.
            pairs = zip(self._low, self._high, self._last, row, strict=True)
            joined = [
                (
                    new if not low <= new and new == new else low,
                    new if not high >= new and new == new else high,
                    new if new == new else last,
                )
                for low, high, last, new in pairs
            ]
            self._low, self._high, self._last = (list(part) for part in zip(*joined, strict=True))
        else:
            self._low, self._high, self._last = row, row, row

    def finish(self, file: int) -> None:
        """Write what was taken since the last slot."""
        if self._last:
            values = [*self._low, *self._high, *self._last]
            self._low, self._high, self._last = [], [], []
            self._write(file, *self._moment, values)

    def _write(self, file: int, time: float, steps: float, values: list[float]) -> None:
        self._written += 1
        number = self._written
        packed = array.array("f", [_clip(value) for value in values])
        packed.extend([0.0] * (len(packed) % 2))
        slot = _HEAD.pack(number, time, steps) + packed.tobytes() + _NUMBER.pack(number)
        os.pwrite(file, slot, self._start + self._width * (number % self._ring.slots))

    def _find_last(self, file: int) -> int:
        """The highest number that an earlier process wrote."""
        region = os.pread(file, self._width * self._ring.slots, self._start)
        numbers = (
            _NUMBER.unpack_from(region, at)[0]
            for at in range(0, len(region) - self._width + 1, self._width)
        )
        return max((one for i, one in enumerate(numbers) if one % self._ring.slots == i), default=0)


def _identify(file: int) -> tuple[int, int]:
    found = os.fstat(file)
    return found.st_dev, found.st_ino


def _clip(value: float) -> float:
    """What a float32 can hold."""
    return value if math.isnan(value) else max(-_MOST, min(_MOST, value))
