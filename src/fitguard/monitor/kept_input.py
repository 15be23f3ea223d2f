"""Standard input of a training that may need it again.

The child keeps what its script reads in a file that the parent has opened for it. An attempt that
comes later gets that first, and then what is new.
"""

import io
import os
from collections.abc import Callable

VARIABLE = "FITGUARD_STDIN"
"""Holds the number of the file, until the script begins."""
LIMIT_BYTES = 64 * 2**20

_STDIN = 0
_DATA_AT = 1
"""Behind one byte, which is not 0 where there was too much to keep."""


class KeptInput(io.RawIOBase):
    """Standard input that begins with what earlier attempts have read.

    Args:
        file: Where that is kept.
        say: Tells the user one line.
    """

    name = "<stdin>"
    mode = "rb"

    def __init__(self, file: int, say: Callable[[str], None]) -> None:
        super().__init__()
        self._file = file
        self._say = say
        self._process = os.getpid()
        self._identity = _identify(file)
        self._place = _DATA_AT
        self._end = max(os.fstat(file).st_size, _DATA_AT)
        self._overflowed = os.pread(file, 1, 0) == b"\1"
        self._terminal = os.isatty(_STDIN)
        self._said = False

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return _STDIN

    def isatty(self) -> bool:
        return self._terminal

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        view = memoryview(buffer).cast("B")
        data = self._read_again(len(view))
        if not data:
            data = os.read(_STDIN, len(view))
            self.keep(data)
        view[: len(data)] = data
        return len(data)

    def read_line_again(self) -> bytes:
        """A line that was typed in an earlier attempt; empty where there is none left."""
        return self._read_again(self._end)

    def keep(self, data: bytes) -> None:
        """Keep what is new."""
        if self._overflowed or not self._is_here():
            return
        if self._end + len(data) > LIMIT_BYTES:
            self._overflowed = True
            os.pwrite(self._file, b"\1", 0)
            os.ftruncate(self._file, _DATA_AT)
            self._say(
                f"the script has read more than {LIMIT_BYTES // 2**20} MiB from standard input. "
                "That is more than fitguard keeps, so another attempt would not get it again. Give "
                "it as a file: fitguard run train.py < FILE"
            )
            return
        os.pwrite(self._file, data, self._end)
        self._end += len(data)
        self._place = self._end

    def _read_again(self, count: int) -> bytes:
        """At most so many bytes; from a terminal at most one line, as it came."""
        if not self._is_here():
            return b""
        self._tell()
        data = os.pread(self._file, min(count, self._end - self._place), self._place)
        if self._terminal:
            data = data[: data.find(b"\n") + 1] or data
        self._place += len(data)
        return data

    def _tell(self) -> None:
        """Say once what this attempt gets."""
        if self._said or (self._place == self._end and not self._overflowed):
            return
        self._said = True
        if self._overflowed:
            self._say(
                "an earlier attempt has read more from standard input than fitguard keeps. This "
                "one gets only what is left."
            )
        elif self._terminal:
            self._say("your earlier answers are given to the script again, from memory.")

    def _is_here(self) -> bool:
        """Whether the file is still ours: scripts close files, and fork."""
        return os.getpid() == self._process and _identify(self._file) == self._identity


def _identify(file: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino
