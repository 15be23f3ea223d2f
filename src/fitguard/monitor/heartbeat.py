"""How far the training is: a few numbers that parent and child share.

The child writes them at each step, into memory; no signal, no thread and no file is needed, so it
works from any thread and costs nothing to a training that goes well. The parent leaves its wishes
in the same place: the child looks at them between steps.

A file tells where that memory is. The parent copies into it what it reads, for all who only have
the file: those who watch, and who goes on when the parent was killed. A child that cannot open the
memory, or does not know it, writes into the file itself.

Where several workers train together, the parent also says at which step all of them take a
snapshot, and which one they all have. These are several numbers that belong together: a checksum
stands behind them, and who reads them while they change goes on with what he read before.

A file that somebody cuts short must kill neither of them, as touching memory that it no longer has
would do: the parent reads and writes it as a file, a child that has nothing else looks at its size
first. The memory itself is sealed: nobody can cut it.
"""

import contextlib
import mmap
import os
from pathlib import Path

from fitguard.monitor.beats import (
    CHILD,
    MARKED_BYTES,
    PHASES,
    WISHES,
    Beat,
    Call,
    Phase,
    Wish,
    is_whole,
    pack_call,
    parse_beat,
    parse_call,
    parse_wish,
)
from fitguard.monitor.regular_files import open_regular, read_regular, replace_file
from fitguard.monitor.sealed_memory import WHERE_BYTES, make_sealed, open_sealed
from fitguard.schema.gang import SavedPlace

_WISH_AT = 256
_PROFILE_AT = 257
_TAKEN_AT = 258
"""In memory: 1 once a child writes there, and no more into the file."""
_NONE = -1
_SIZE = 4096
BEGUN = slice(512, 1024)
"""Of the file: what a soak computes, in words."""
_CALL_AT = 1024
_COMPLETE_AT = 1088
_WHERE_AT = 1152
"""In the file: where the memory is."""


class Heartbeat:
    """The shared numbers, as the parent sees them.

    Args:
        path: Made and emptied by the parent before each attempt (`create=True`).
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self._copies = create
        self._copied = b""
        if create:
            self._memory = _create(path)
        self._file = open_regular(path, os.O_RDWR)
        if not create:
            found = open_sealed(os.pread(self._file, WHERE_BYTES, _WHERE_AT))
            self._memory = _NONE if found is None else found
        self._last_read = parse_beat(bytes(CHILD.size))

    def read(self) -> Beat:
        """What the child wrote last, as far as can be told."""
        with contextlib.suppress(OSError):
            source = self._find_source()
            content = os.pread(source, CHILD.size, 0)
            if len(content) == CHILD.size:
                self._last_read = parse_beat(content)
            if self._copies and source != self._file and content != self._copied:
                os.pwrite(self._file, content, 0)
                self._copied = content
        return self._last_read

    def wish(self, wish: Wish) -> None:
        """Ask the child: `snapshot` to take one now, `leave` to take one and exit."""
        self._mark(_WISH_AT, bytes([WISHES.index(wish)]))

    def wish_profile(self) -> None:
        """Ask the child for a trace of its next steps."""
        self._mark(_PROFILE_AT, b"\1")

    def read_wish(self) -> Wish:
        """What the child is asked."""
        return parse_wish(os.pread(self._find_source(), 1, _WISH_AT))

    def call(self, place: SavedPlace, *, leave: bool = False) -> None:
        """Have a snapshot taken at this place, and not before; it may still be ahead."""
        self._mark(_CALL_AT, pack_call(Call(place, leave)))

    def note_complete(self, place: SavedPlace | None) -> None:
        """The newest snapshot that all workers have; None where there is none."""
        marked = pack_call(Call(place)) if place is not None else bytes(MARKED_BYTES)
        self._mark(_COMPLETE_AT, marked)

    def _find_source(self) -> int:
        """Where the child writes."""
        memory = self._memory
        taken = memory != _NONE and os.pread(memory, 1, _TAKEN_AT) == b"\1"
        return memory if taken else self._file

    def _mark(self, at: int, marked: bytes) -> None:
        """Where the child looks; before it has said that it looks into the memory, in both."""
        for file in (self._memory, self._file):
            with contextlib.suppress(OSError):
                os.pwrite(file, marked, at)

    def close(self) -> None:
        self.read()
        files = (self._memory, self._file)
        self._memory = self._file = _NONE
        for file in files:
            if file != _NONE:
                os.close(file)


def _create(path: Path) -> int:
    """Make the memory, and the file that tells where it is; the number of the memory."""
    made = make_sealed(_SIZE)
    try:
        content = bytes(_WHERE_AT) + (b"" if made is None else made.where)
        replace_file(path, content.ljust(_SIZE, b"\0"))
    except OSError:
        if made is not None:
            os.close(made.file)
        raise
    return _NONE if made is None else made.file


def read_beat(path: Path) -> Beat | None:
    """What the child wrote last, for one who may only read; None where that cannot be had."""
    with contextlib.suppress(OSError):
        content = read_regular(path, _SIZE)[: CHILD.size]
        return parse_beat(content) if len(content) == CHILD.size else None
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
        self._memory, self._is_sealed = _map(path)
        if self._is_sealed:
            self._memory[_TAKEN_AT] = 1
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
        self._last = (PHASES.index(phase), fit, epoch, step, total_steps)
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
        if self._is_sealed or self._is_there():
            told = (*self._last, self._saved, self._asked, self._steps_here)
            CHILD.pack_into(self._memory, 0, self._count, self.answering, *told)

    def read_wish(self) -> Wish:
        """Called between steps."""
        if self._is_sealed or self._is_there():
            number = self._memory[_WISH_AT]
            return parse_wish(bytes([number])) if number else "none"
        return "none"

    def wish(self, wish: Wish) -> None:
        """Called for a signal that only the child got, and when a wish was fulfilled."""
        if self._is_there():
            self._memory[_WISH_AT] = WISHES.index(wish)

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
        marked = self._memory[at : at + MARKED_BYTES] if self._is_there() else content
        if marked != content and (marked == bytes(MARKED_BYTES) or is_whole(marked)):
            known = parse_call(marked)
            self._marks[at] = (marked, known)
        return known

    def take_profile_wish(self) -> bool:
        """Called between steps: whether a trace is wanted; it is not wanted again after that."""
        if not self._memory[_PROFILE_AT] or not self._is_there():
            return False
        self._memory[_PROFILE_AT] = 0
        return True

    def _is_there(self) -> bool:
        if self._is_sealed:
            return True
        try:
            return self._path.stat().st_size > 0
        except OSError:  # a file that was removed stays in memory
            return True


def _map(path: Path) -> tuple[mmap.mmap, bool]:
    """The memory, and whether it is sealed: else it is the file's, which somebody may cut short."""
    file = open_regular(path, os.O_RDWR)
    try:
        sealed = open_sealed(os.pread(file, WHERE_BYTES, _WHERE_AT))
        if sealed is None:
            return mmap.mmap(file, _SIZE), False
        try:
            return mmap.mmap(sealed, _SIZE), True
        finally:
            os.close(sealed)
    finally:
        os.close(file)
