"""The last megabytes of what the training wrote, kept on disk."""

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path

from fitguard.monitor.regular_files import open_regular, read_end

HALF_BYTES = 4 * 2**20
MOST_BYTES = 2 * HALF_BYTES
"""Of each file: the last thing that was written may be long."""


class OutputLog:
    """Two files that take turns: when the newer one is full, it replaces the older one.

    Bytes are written at once, so what the training said last survives the death of this process.
    A disk that is full costs what could not be written, and is told once.

    Args:
        newer: The file that is written to.
        older: What it was before it was full.
        warn: Called with the first error.
    """

    def __init__(
        self,
        newer: Path,
        older: Path,
        *,
        warn: Callable[[OSError], None] = lambda _error: None,
        half_bytes: int = HALF_BYTES,
    ) -> None:
        self._newer = newer
        self._older = older
        self._warn = warn
        self._half_bytes = half_bytes
        self._lock = threading.Lock()
        self._file: int | None = None
        self._size = 0
        self._total = 0

    @property
    def position(self) -> int:
        """How many bytes were written through this object."""
        return self._total

    def write(self, data: bytes) -> None:
        """Append; from any thread."""
        with self._lock:
            try:
                self._append(data)
            except OSError as error:
                self._warn(error)
                self._warn = lambda _error: None

    def _append(self, data: bytes) -> None:
        if self._file is None:
            self._file = open_regular(self._newer, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            self._size = os.fstat(self._file).st_size
        written = os.write(self._file, data)
        self._size += written
        self._total += written
        if self._size >= self._half_bytes:
            self._close()
            self._newer.replace(self._older)

    def tail(self, since: int = 0) -> bytes:
        """What was written since a position, as far as it is still there."""
        with self._lock:
            wanted = self._total - since
            kept = b"".join(map(_read_file, (self._older, self._newer)))
        return kept[-wanted:] if wanted > 0 else b""

    def close(self) -> None:
        """Give the file back; a later write opens it again."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            os.close(file)


def _read_file(path: Path) -> bytes:
    with contextlib.suppress(OSError):
        return read_end(path, MOST_BYTES)
    return b""
