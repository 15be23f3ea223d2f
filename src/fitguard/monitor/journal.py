"""The journal of a run: events are appended, never changed, and survive a cut of power."""

import contextlib
import os
import time
from pathlib import Path

import msgspec

from fitguard.monitor.flushing import append_line, sync_file, sync_folder
from fitguard.monitor.regular_files import (
    MOST_BYTES,
    UNDECODABLE,
    open_regular,
    read_end,
    read_lines,
)
from fitguard.schema.journal import AnyEvent

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(AnyEvent)


class Journal:
    """Appends events to a file, also from several threads and processes at once.

    Each event is one write to a file that is opened for appending, so lines never mix. A disk that
    is full or read-only costs the event, never the training: `append` then says so.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._has_name = False

    def append(self, event: AnyEvent, *, durable: bool = False) -> bool:
        """Write one event; whether that worked.

        Args:
            durable: Wait until it is on the disk.
        """
        line = _ENCODER.encode(event) + b"\n"
        try:
            file = open_regular(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
        except OSError:
            return False
        try:
            whole = append_line(file, line)
            if durable:
                self._sync(file)
            return whole
        except OSError:
            return False
        finally:
            os.close(file)

    def _sync(self, file: int) -> None:
        sync_file(file)
        if not self._has_name:
            sync_folder(self._path.parent)
            self._has_name = True

    def read(self) -> list[AnyEvent]:
        """All events; lines that are torn or of a later version are left out.

        Raises:
            OSError: where there is a journal that cannot be read, or no regular file.
        """
        try:
            content = read_lines(self._path)
        except FileNotFoundError:
            return []
        return _decode(content)

    @property
    def size(self) -> int:
        """How long it is now, in bytes."""
        with contextlib.suppress(OSError):
            return self._path.stat().st_size
        return 0

    def read_since(self, position: int) -> tuple[list[AnyEvent], int]:
        """The events from a position on, and the position after the last whole line."""
        try:
            content = read_end(self._path, MOST_BYTES, position)
        except OSError:
            return [], position
        whole = content[: content.rfind(b"\n") + 1]
        return _decode(whole), position + len(whole)


def _decode(content: bytes) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    for line in content.split(b"\n"):
        with contextlib.suppress(*UNDECODABLE):
            events.append(_DECODER.decode(line))
    return events


def now() -> float:
    """The time of an event."""
    return time.time()
