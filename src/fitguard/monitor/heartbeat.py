"""How far the training is: a few numbers in a file that parent and child share.

The child writes them at each step, into memory and at the cost of microseconds; no signal and no
thread is needed, so it works from any thread and costs nothing to a training that goes well. The
parent leaves its wishes in the same place: the child looks at them between steps.

Where several workers train together, the parent also says at which step all of them take a
snapshot, and which one they all have. These are several numbers that belong together: a checksum
stands behind them, and who reads them while they change goes on with what he read before.

A file that somebody cuts short must kill neither of them, as touching memory that it no longer has
would do: the parent reads and writes it as a file, the child looks at its size first.
"""

import contextlib
import mmap
import os
import struct
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from fitguard.monitor.regular_files import open_regular, read_regular, replace_file
from fitguard.schema.gang import SavedPlace
from fitguard.schema.run import Place

Wish = Literal["none", "snapshot", "leave"]
_WISHES: tuple[Wish, ...] = get_args(Wish)
Phase = Literal["starting", "training", "evaluating", "idle", "snapshot"]
_PHASES: tuple[Phase, ...] = get_args(Phase)

_CHILD = struct.Struct("=Qqqqqqqqqq")
"""Beats, calls that answer, phase, fit, epoch, step, total steps, steps in the newest snapshot,
how often a common snapshot was asked for, steps of this `fit` that were taken in this process."""
_WISH_AT = 256
_PROFILE_AT = 257
_SIZE = 4096
BEGUN = slice(512, 1024)
"""Of the file: what a soak computes, in words."""
_CALL_AT = 1024
_COMPLETE_AT = 1088
_PLACE = struct.Struct("=qq??")
"""Fit, steps, end, leave; a checksum follows."""
_CHECKSUM = struct.Struct("=I")
_MARKED_BYTES = _PLACE.size + _CHECKSUM.size


@dataclass(frozen=True)
class Beat:
    """What the child wrote last.

    Args:
        count: Beats so far; one that stays the same means that nothing moved.
        answering: How many calls train now that look for wishes, and take snapshots.
        saved_steps: Steps of this `fit` in the newest snapshot that is on the disk.
        asks_call: How often it asked for a snapshot of all workers.
        steps_here: Of this `fit`, that were taken in this process: not those before a restart.
    """

    count: int
    answering: int
    phase: Phase
    place: Place
    saved_steps: int
    asks_call: int = 0
    steps_here: int = 0


@dataclass(frozen=True)
class Call:
    """What all workers of a gang are told before they get there.

    Args:
        place: Where each takes a snapshot.
        leave: Each leaves once that is on the disk.
    """

    place: SavedPlace
    leave: bool = False


class Heartbeat:
    """The shared numbers, as the parent sees them.

    Args:
        path: Made and emptied by the parent before each attempt (`create=True`).
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        if create:
            replace_file(path, bytes(_SIZE))
        self._file = open_regular(path, os.O_RDWR)
        self._last_read = _parse_beat(bytes(_CHILD.size))

    def read(self) -> Beat:
        """What the child wrote last, as far as the file tells."""
        with contextlib.suppress(OSError):
            content = os.pread(self._file, _CHILD.size, 0)
            if len(content) == _CHILD.size:
                self._last_read = _parse_beat(content)
        return self._last_read

    def wish(self, wish: Wish) -> None:
        """Ask the child: `snapshot` to take one now, `leave` to take one and exit."""
        with contextlib.suppress(OSError):
            os.pwrite(self._file, bytes([_WISHES.index(wish)]), _WISH_AT)

    def wish_profile(self) -> None:
        """Ask the child for a trace of its next steps."""
        with contextlib.suppress(OSError):
            os.pwrite(self._file, b"\1", _PROFILE_AT)

    def read_wish(self) -> Wish:
        """What the child is asked."""
        return _parse_wish(os.pread(self._file, 1, _WISH_AT))

    def call(self, place: SavedPlace, *, leave: bool = False) -> None:
        """Have a snapshot taken at this place, and not before; it may still be ahead."""
        self._mark(_CALL_AT, _pack_call(Call(place, leave)))

    def note_complete(self, place: SavedPlace | None) -> None:
        """The newest snapshot that all workers have; None where there is none."""
        marked = _pack_call(Call(place)) if place is not None else bytes(_MARKED_BYTES)
        self._mark(_COMPLETE_AT, marked)

    def _mark(self, at: int, marked: bytes) -> None:
        with contextlib.suppress(OSError):
            os.pwrite(self._file, marked, at)

    def close(self) -> None:
        file, self._file = self._file, -1
        os.close(file)


def read_beat(path: Path) -> Beat | None:
    """What the child wrote last, for one who may only read; None where that cannot be had."""
    with contextlib.suppress(OSError):
        content = read_regular(path, _SIZE)[: _CHILD.size]
        return _parse_beat(content) if len(content) == _CHILD.size else None
    return None


class OwnHeartbeat:
    """The shared numbers, as the child sees them.

    It keeps no file open: a script that closes all files, and opens one of its own under the same
    number, must not find these numbers in it.

    Args:
        path: Where the parent has made them.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with os.fdopen(open_regular(path, os.O_RDWR), "r+b") as file:
            self._memory = mmap.mmap(file.fileno(), _SIZE)
        self._count = 0
        self._saved = 0
        self._last = (0, 0, 0, 0, 0)
        self._asked = 0
        self._first: tuple[int, int] | None = None
        self._steps_here = 0
        self._marks: dict[int, tuple[bytes, Call | None]] = {}
        self.answering = 0

    def beat(self, phase: Phase, fit: int, epoch: int, step: int, total_steps: int) -> None:
        """Called at each step."""
        self._last = (_PHASES.index(phase), fit, epoch, step, total_steps)
        if phase == "training":
            if self._first is None or self._first[0] != fit:
                self._first = (fit, total_steps)
            self._steps_here = total_steps - self._first[1]
        self._write()

    def note_alive(self) -> None:
        """Called where the training is busy with the same step."""
        self._write()

    def note_saved(self, total_steps: int) -> None:
        """Called when a snapshot is on the disk."""
        self._saved = total_steps

    def change_answering(self, by: int) -> None:
        """Called when something begins (1), or ends (-1), that looks for wishes."""
        self.answering += by
        self._write()

    def _write(self) -> None:
        self._count += 1
        if self._is_there():
            told = (*self._last, self._saved, self._asked, self._steps_here)
            _CHILD.pack_into(self._memory, 0, self._count, self.answering, *told)

    def read_wish(self) -> Wish:
        """Called between steps."""
        return _parse_wish(self._memory[_WISH_AT : _WISH_AT + 1]) if self._is_there() else "none"

    def wish(self, wish: Wish) -> None:
        """Called for a signal that only the child got, and when a wish was fulfilled."""
        if self._is_there():
            self._memory[_WISH_AT] = _WISHES.index(wish)

    def ask_call(self) -> None:
        """Ask the parent for a snapshot of all workers, at a step that it chooses."""
        self._asked += 1
        self._write()

    def read_call(self) -> Call | None:
        """Called between steps: where the next snapshot of all workers is taken."""
        return self._read_marked(_CALL_AT)

    def read_complete(self) -> SavedPlace | None:
        """The newest snapshot that all workers have."""
        complete = self._read_marked(_COMPLETE_AT)
        return complete.place if complete is not None else None

    def _read_marked(self, at: int) -> Call | None:
        content, known = self._marks.get(at, (b"", None))
        marked = self._memory[at : at + _MARKED_BYTES] if self._is_there() else content
        if marked != content and (marked == bytes(_MARKED_BYTES) or _is_whole(marked)):
            known = _parse_call(marked)
            self._marks[at] = (marked, known)
        return known

    def take_profile_wish(self) -> bool:
        """Called between steps: whether a trace is wanted; it is not wanted again after that."""
        if not self._memory[_PROFILE_AT] or not self._is_there():
            return False
        self._memory[_PROFILE_AT] = 0
        return True

    def _is_there(self) -> bool:
        try:
            return self._path.stat().st_size > 0
        except OSError:  # a file that was removed stays in memory
            return True


def _parse_beat(content: bytes) -> Beat:
    count, answering, phase, fit, epoch, step, total, saved, asked, here = _CHILD.unpack(content)
    return Beat(
        count=count,
        answering=answering,
        phase=_PHASES[phase] if 0 <= phase < len(_PHASES) else "starting",
        place=Place(fit=fit, epoch=epoch, step=step, total_steps=total),
        saved_steps=saved,
        asks_call=asked,
        steps_here=here,
    )


def _parse_wish(content: bytes) -> Wish:
    number = content[0] if content else 0
    return _WISHES[number] if number < len(_WISHES) else "none"


def _pack_call(call: Call) -> bytes:
    packed = _PLACE.pack(call.place.fit, call.place.steps, call.place.end, call.leave)
    return packed + _CHECKSUM.pack(zlib.crc32(packed))


def _is_whole(marked: bytes) -> bool:
    packed = marked[: _PLACE.size]
    return marked[_PLACE.size :] == _CHECKSUM.pack(zlib.crc32(packed))


def _parse_call(marked: bytes) -> Call | None:
    if not any(marked):
        return None
    fit, steps, end, leave = _PLACE.unpack_from(marked)
    return Call(SavedPlace(fit, steps, end), leave)
