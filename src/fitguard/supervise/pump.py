"""Carries what the training writes to the user, untouched and at once, and keeps a copy."""

import errno
import os
import select
import threading
import time
from collections.abc import Callable

_CHUNK_BYTES = 65536
_POLL_MILLISECONDS = 200
_GONE = (errno.EPIPE, errno.EIO, errno.EBADF, errno.ECONNRESET)


class Pump(threading.Thread):
    """Reads one channel to its end.

    Args:
        source: Closed at the end.
        target: Where the bytes go. Where its reader goes away, as with `| head`, the source is
            closed too: the training then meets the broken pipe that it would meet under plain
            Python.
        keep: Called with all that is read, before it is passed on.
        warn: Called once, where the target refuses bytes for another reason, such as a full disk;
            the training goes on.
    """

    def __init__(
        self,
        source: int,
        target: int,
        keep: Callable[[bytes], None],
        warn: Callable[[OSError], None] = lambda _error: None,
    ) -> None:
        super().__init__(daemon=True, name="fitguard-pump")
        self._source = source
        self._target = target
        self._keep = keep
        self._warn = warn
        self._child_ended = False
        self._writing_since: float | None = None
        self.reader_gone = False
        self.ends_line = True

    def is_stalled(self, seconds: float) -> bool:
        """Whether the reader has taken nothing for so long: a terminal that was halted."""
        since = self._writing_since
        return since is not None and time.monotonic() - since >= seconds

    def finish(self, limit_seconds: float) -> None:
        """The child has ended: read what is left, but wait for nobody who holds its end open."""
        self._child_ended = True
        self.join(limit_seconds)

    def run(self) -> None:
        try:
            while not self.reader_gone and (data := self._read()):
                self._keep(data)
                self._pass_on(data)
                self.ends_line = data.endswith(b"\n")
        finally:
            os.close(self._source)

    def _read(self) -> bytes:
        """The next bytes; empty at the end."""
        waiting = select.poll()
        waiting.register(self._source, select.POLLIN)
        while not waiting.poll(_POLL_MILLISECONDS):
            if self._child_ended:
                return b""
        try:
            return os.read(self._source, _CHUNK_BYTES)
        except OSError:  # how a terminal says that its other end is closed
            return b""

    def _pass_on(self, data: bytes) -> None:
        rest = memoryview(data)
        self._writing_since = time.monotonic()
        try:
            while rest:
                rest = rest[self._write(rest) :]
        except OSError as error:
            if error.errno in _GONE:
                self.reader_gone = True
            else:
                self._warn(error)
                self._warn = lambda _error: None
        finally:
            self._writing_since = None

    def _write(self, data: memoryview) -> int:
        try:
            return os.write(self._target, data)
        except BlockingIOError:  # somebody made the user's terminal non-blocking
            waiting = select.poll()
            waiting.register(self._target, select.POLLOUT)
            waiting.poll()
            return 0
