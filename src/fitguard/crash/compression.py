"""gzip and zstd: several members in a row, files that end early, and data that is broken."""

import re
import zlib
from typing import Any, Protocol

from fitguard.crash.streams import Peeked, Pieces, Stream, read

# So little is unpacked at once that neither a bomb (a block of zstd needs 4 bytes for 128 KiB)
# takes memory, nor broken data costs the good data in front of it.
STEP = 512
AT_ONCE = 256 * 1024

# Tools that pack in parallel put frames in between that hold no data.
SKIPPED_FRAME = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")


class Decoder(Protocol):
    """What zlib and zstandard have in common."""

    eof: bool
    unused_data: bytes

    def decompress(self, data: memoryview, /) -> bytes:
        """What this part of the packed data holds."""
        ...


def unpack_stream(stream: Stream, notes: list[str]) -> Stream:
    """The stream itself, or what is packed in it."""
    peeked = Peeked(stream)
    kind = _kind(peeked.peek(4))
    return Unpacked(peeked, kind, notes) if kind else peeked


def _kind(magic: bytes) -> str | None:
    if magic.startswith(b"\x1f\x8b\x08"):
        return "gzip"
    return "zstd" if magic == b"\x28\xb5\x2f\xfd" or SKIPPED_FRAME.fullmatch(magic) else None


class Unpacked(Pieces):
    """The content of a gzip or zstd file."""

    def __init__(self, stream: Stream, kind: str, notes: list[str]) -> None:
        super().__init__()
        self._stream = stream
        self._kind = kind
        self._notes = notes
        self._packed = memoryview(b"")
        self._decoder: Decoder | None = _decoder(kind)

    def next_piece(self) -> bytes:
        """Of the next bytes that unpack to something."""
        while self._decoder is not None:
            if self._decoder.eof:
                self._next_member(self._decoder.unused_data)
                continue
            if not self._packed:
                self._packed = memoryview(read(self._stream, AT_ONCE))
            if not self._packed:
                return self._stop("ends early")
            step, self._packed = self._packed[:STEP], self._packed[STEP:]
            try:
                piece = self._decoder.decompress(step)
            except _find_decoder_error(self._kind):
                return self._stop("is broken; what stands before that place was read")
            if piece:
                return piece
        return b""

    def _next_member(self, unused: bytes) -> None:
        rest = unused + self._packed
        if len(rest) < 4:
            rest += read(self._stream, AT_ONCE)
        # Tapes and disks are filled up with zeros.
        rest = rest.lstrip(b"\0")
        self._packed = memoryview(rest)
        self._decoder = _decoder(self._kind) if _kind(rest[:4]) == self._kind else None
        if rest and self._decoder is None:
            self._stop("is followed by other data, which was not read")

    def _stop(self, what: str) -> bytes:
        self._decoder = None
        self._notes.append(f"the {self._kind} stream {what}")
        return b""


def _decoder(kind: str) -> Any:
    if kind == "gzip":
        return zlib.decompressobj(wbits=31)
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj()


def _find_decoder_error(kind: str) -> type[Exception]:
    if kind == "gzip":
        return zlib.error
    import zstandard

    return zstandard.ZstdError
