"""Files that the script holds open for writing while a moment is taken or restored."""

import contextlib
import fcntl
import gc
import io
import os
import weakref
from typing import Any

_OWN = "/proc/self/fd"
_WRITERS = (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom)

Identity = tuple[int, int]
"""Device and inode."""
_Open = tuple[int, Identity]
"""The number of an open file, and what it is open on."""


class OpenFiles:
    """Flushes what Python holds back: it belongs to the moment.

    What TensorFlow or HDF5 hold back cannot be had.
    """

    def __init__(self) -> None:
        self._writers: dict[_Open, list[weakref.ref[Any]]] = {}

    def flush(self, files: set[Identity]) -> set[Identity]:
        """Have Python write all of these to the disk; those that others hold open."""
        found = [one for one in _writable() if one[1] in files]
        if not all(self._is_known(one) for one in found):
            # It takes tens of milliseconds, once for a file that stays open.
            self._writers = _find_writers(found)
        for one in found:
            for writer in self._alive(one):
                with contextlib.suppress(OSError, ValueError):
                    writer.flush()
        return {one[1] for one in found if not self._writers[one]}

    def _is_known(self, one: _Open) -> bool:
        known = self._writers.get(one)
        return known is not None and len(known) == len(self._alive(one))

    def _alive(self, one: _Open) -> list[Any]:
        writers = (reference() for reference in self._writers.get(one, ()))
        return [writer for writer in writers if writer is not None]


def move_to_end(which: Identity, before: int, after: int) -> None:
    """Who wrote at the end of a file shall go on at its end, now that it has another length."""
    for number, one in _writable():
        if one == which and os.lseek(number, 0, os.SEEK_CUR) >= before:
            os.lseek(number, after, os.SEEK_SET)


def _writable() -> list[_Open]:
    found = []
    with contextlib.suppress(OSError):
        for name in os.listdir(_OWN):
            with contextlib.suppress(OSError):
                number = int(name)
                if fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY:
                    status = os.fstat(number)
                    found.append((number, (status.st_dev, status.st_ino)))
    return found


def _find_writers(found: list[_Open]) -> dict[_Open, list[weakref.ref[Any]]]:
    """Python's own objects on these files; a text comes before the bytes that it writes into."""
    numbers = {one[0]: one for one in found}
    writers: dict[_Open, list[weakref.ref[Any]]] = {one: [] for one in found}
    for thing in gc.get_objects():
        if type(thing) in _WRITERS:
            with contextlib.suppress(OSError, ValueError):
                one = numbers.get(thing.fileno())
                if one is not None:
                    at = 0 if isinstance(thing, io.TextIOWrapper) else len(writers[one])
                    writers[one].insert(at, weakref.ref(thing))
    return writers
