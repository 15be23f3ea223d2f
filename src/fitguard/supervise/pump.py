"""Carries what the training writes to the user, untouched and at once, and keeps a copy."""

import errno
import os
import select
import threading
import time
from collections.abc import Callable

_CHUNK_BYTES = 65536
_POLL_MILLISECONDS = 200
_SETTLED_SECONDS = 0.2
_MOST_HELD_BYTES = 2**20
"""More than a pipe or a terminal holds: who read so much has read what was in it."""
_GONE = (errno.EPIPE, errno.EIO, errno.EBADF, errno.ECONNRESET)


class Pump(threading.Thread):
    """Reads one channel to its end, which comes when nobody holds its other end any more.

    Args:
        source: Closed at the end.
        target: Where the bytes go. Where its reader goes away, as with `| head`, the source is
            closed too: the training then meets the broken pipe that it would meet under plain
            Python.
        keep: Called with all that is read, before it is passed on.
        warn: Called once, where the target refuses bytes for another reason, such as a full disk;
            the training goes on.

    Attributes:
        drained: Set once all that the child itself wrote was passed on.
    """

    def __init__(
        self,
        source: int,
        target: int,
        keep: Callable[[bytes], None],
        warn: Callable[[OSError], None] = lambda _error: None,
    ) -> None:
        super().__init__(daemon=True, name="fitguard-pump")
        self.source = source
        self.target = target
        self._keep = keep
        self._warn = warn
        self._child_ended_at: float | None = None
        self._bytes_since_end = 0
        self._writing_since: float | None = None
        self._stopping = False
        self.drained = threading.Event()
        self.reader_gone = False
        self.ends_line = True

    def is_stalled(self, seconds: float) -> bool:
        """Whether the reader has taken nothing for so long: a terminal that was halted."""
        since = self._writing_since
        return since is not None and time.monotonic() - since >= seconds

    def note_child_ended(self) -> None:
        """What is in the channel now is the last of it; what comes later others have written."""
        self._child_ended_at = time.monotonic()

    def stop(self) -> None:
        """End before the channel does, soon; its source stays open."""
        self._stopping = True

    def run(self) -> None:
        try:
            while not self.reader_gone and (data := self._read()):
                self._keep(data)
                self._pass_on(data)
                self.ends_line = data.endswith(b"\n")
        finally:
            if self.reader_gone or not self._stopping:
                os.close(self.source)
                self.source = -1
            self.drained.set()

    def _read(self) -> bytes:
        """The next bytes; empty at the end."""
        waiting = select.poll()
        waiting.register(self.source, select.POLLIN)
        wait_milliseconds = 0
        while not self._stopping and not waiting.poll(wait_milliseconds):
            self._note_empty()
            wait_milliseconds = _POLL_MILLISECONDS
        if self._stopping:
            return b""
        try:
            data = os.read(self.source, _CHUNK_BYTES)
        except OSError:  # how a terminal says that its other end is closed
            return b""
        if self._child_ended_at is not None:
            self._note_late(len(data))
        return data

    def _note_empty(self) -> None:
        """A terminal passes bytes on after a moment: only then is nothing in it."""
        ended_at = self._child_ended_at
        if ended_at is not None and time.monotonic() - ended_at > _SETTLED_SECONDS:
            self.drained.set()

    def _note_late(self, count: int) -> None:
        """Who is never found empty is written to by others."""
        if self._bytes_since_end > _MOST_HELD_BYTES:
            self.drained.set()
        self._bytes_since_end += count

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
            return os.write(self.target, data)
        except BlockingIOError:  # somebody made the user's terminal non-blocking
            waiting = select.poll()
            waiting.register(self.target, select.POLLOUT)
            waiting.poll()
            return 0
