"""A log as a stream of bytes: what all its layers share."""

import zlib
from abc import ABC, abstractmethod
from typing import BinaryIO, Protocol


class Stream(Protocol):
    """Gives bytes, piece by piece."""

    def readinto(self, buffer: memoryview, /) -> int:
        """Fill the buffer from its beginning; how many bytes there were, 0 at the end."""
        ...


class Peeked:
    """A stream whose first bytes can be looked at before they are read."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._head = b""

    def peek(self, size: int) -> bytes:
        """The first bytes; fewer than that only where the stream is shorter."""
        self._head += read(self._stream, size - len(self._head))
        return self._head[:size]

    def readinto(self, buffer: memoryview, /) -> int:
        """The bytes that were looked at come first."""
        if not self._head:
            return self._stream.readinto(buffer)
        taken = min(len(self._head), len(buffer))
        buffer[:taken] = self._head[:taken]
        self._head = self._head[taken:]
        return taken


class Pieces(ABC):
    """A stream made of pieces of any size, as decoders give them."""

    def __init__(self) -> None:
        self._piece = memoryview(b"")

    @abstractmethod
    def next_piece(self) -> bytes:
        """The next piece; empty at the end."""

    def readinto(self, buffer: memoryview, /) -> int:
        """From one piece at a time."""
        if not self._piece:
            self._piece = memoryview(self.next_piece())
        taken = min(len(self._piece), len(buffer))
        buffer[:taken] = self._piece[:taken]
        self._piece = self._piece[taken:]
        return taken


class OpenFile:
    """An open file, up to a limit; where reading fails half-way, the stream ends with a note.

    Args:
        limit_bytes: A file may grow faster than it is read.
    """

    def __init__(self, file: BinaryIO, notes: list[str], limit_bytes: int | None = None) -> None:
        self._file = file
        self._notes = notes
        self._left = limit_bytes

    def readinto(self, buffer: memoryview, /) -> int:
        """Like the file's own; a file that cannot read into a buffer is read the plain way."""
        wanted = buffer if self._left is None else buffer[: self._left]
        if not wanted:
            return 0
        try:
            taken = self._read(wanted)
        except (OSError, EOFError, zlib.error) as error:  # the last two of an open gzip file
            self._notes.append(
                f"reading stopped early: {getattr(error, 'strerror', None) or error}"
            )
            self._left = 0
            return 0
        if self._left is not None:
            self._left -= taken
        return taken

    def _read(self, buffer: memoryview) -> int:
        if hasattr(self._file, "readinto"):
            return self._file.readinto(buffer) or 0
        data = self._file.read(len(buffer)) or b""
        buffer[: len(data)] = data
        return len(data)


def read(stream: Stream, size: int) -> bytes:
    """That many bytes, fewer only at the end."""
    buffer = bytearray(max(size, 0))
    return bytes(buffer[: fill(stream, memoryview(buffer))])


def fill(stream: Stream, buffer: memoryview) -> int:
    """Fill the buffer as far as the stream reaches; how many bytes there were."""
    filled = 0
    while filled < len(buffer) and (taken := stream.readinto(buffer[filled:])):
        filled += taken
    return filled
