"""The beginning of a snapshot file: what is in it, and where.

magic and form         8 bytes; a later form keeps the start as it is here
length of the header   8 bytes, length of the file 8 bytes, checksum of the header 4 bytes,
                       checksum of the 28 bytes before 4 bytes; all little-endian
header                 JSON: the document, and for each array name, dtype, shape, offset,
                       length, checksum and, in form 2, the file that holds it
"""

import contextlib
import json
import os
import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from fitguard.monitor.regular_files import open_unbuffered
from fitguard.monitor.unusable_snapshots import NewerSnapshot, TornSnapshot, UnreadableSnapshot

_MAGIC = "FGSNAP{}\n"
_FORM = re.compile(rb"FGSNAP(\d)\n")
_ALONE, _SHARING = 1, 2
"""Forms: all arrays in the file itself, or some in other files of the run."""
_START = struct.Struct("<8sQQI")
_CHECKSUM = struct.Struct("<I")
_FIRST = _START.size + _CHECKSUM.size
_ALIGNED = 64
_TORN = (TypeError, ValueError, KeyError, OverflowError, RecursionError, msgspec.MsgspecError)


class _NewerForm(Exception):
    """The start is whole, and says that what follows is of a later time."""


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """Where an array lies.

    Args:
        offset: From the end of the header; in another file, from the beginning of that.
        source: Name of that file without its suffix; empty for the file itself.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int
    checksum: int
    source: str = ""


@dataclass(frozen=True)
class Heading:
    """What a file says of itself.

    Args:
        arrays_at: Where its own arrays begin.
    """

    document: dict[str, Any]
    entries: list[Entry]
    arrays_at: int

    @property
    def sources(self) -> set[str]:
        """The other files that it needs."""
        return {entry.source for entry in self.entries if entry.source}


def pack_heading(document: dict[str, Any], entries: list[Entry]) -> bytes:
    """The bytes before the arrays."""
    alone = not any(entry.source for entry in entries)
    told: list[Any] = msgspec.to_builtins(entries)
    # Not msgspec: the state of a random generator has integers of 128 bits.
    fields = {"document": document, "arrays": [one[:-1] for one in told] if alone else told}
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (align_length(_FIRST + len(text)) - _FIRST - len(text))
    arrays_bytes = sum(align_length(entry.nbytes) for entry in entries if not entry.source)
    magic = _MAGIC.format(_ALONE if alone else _SHARING).encode()
    start = _START.pack(magic, len(text), _FIRST + len(text) + arrays_bytes, zlib.crc32(text))
    return start + _CHECKSUM.pack(zlib.crc32(start)) + text


def read_heading(path: Path) -> Heading:
    """The beginning of a file; its arrays are not looked at.

    Raises:
        UnusableSnapshot: where it is not whole, or cannot be read.
    """
    with naming_faults(path), open_unbuffered(path) as file:
        return parse_heading(file, os.fstat(file.fileno()).st_size)


def parse_heading(file: BinaryIO, size: int) -> Heading:
    """Likewise of an open file, which is then at its first array; inside of `naming_faults`."""
    fields = json.loads(_read_header(file, size))
    document, entries = fields["document"], msgspec.convert(fields["arrays"], list[Entry])
    if not isinstance(document, dict):
        raise ValueError("its document is no object")
    return Heading(document, entries, file.tell())


@contextlib.contextmanager
def naming_faults(path: Path) -> Iterator[None]:
    """Errors inside become those that say what can be done about the file."""
    try:
        yield
    except _TORN as error:
        raise TornSnapshot(f"{path.name} is not a whole snapshot: {error}.") from error
    except _NewerForm as error:
        raise NewerSnapshot(f"{path.name} was written by a newer version of fitguard.") from error
    except (OSError, MemoryError) as error:
        why = getattr(error, "strerror", None) or str(error) or "there is not enough memory"
        raise UnreadableSnapshot(f"{path.name} cannot be read now: {why}.") from error


def align_length(length: int) -> int:
    """With the padding behind it: all that lies in a file begins at a multiple of 64."""
    return -(-length // _ALIGNED) * _ALIGNED


def read_raw(file: BinaryIO, length: int, part: str) -> bytes:
    """So many bytes of a file; `part` is what an error names.

    Raises:
        ValueError: where the file is too short.
    """
    chunks, left = [], length
    while left:
        chunk = file.read(left)
        if not chunk:
            raise ValueError(f"it ends inside of its {part}")
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _read_header(file: BinaryIO, size: int) -> bytes:
    start = read_raw(file, _START.size, "start")
    magic, length, whole, checksum = _START.unpack(start)
    form = _FORM.fullmatch(magic)
    if form is None:
        expected = _MAGIC.format(_ALONE).encode()
        raise ValueError(f"it begins with {magic!r}, a snapshot begins with {expected!r}")
    if read_raw(file, _CHECKSUM.size, "start") != _CHECKSUM.pack(zlib.crc32(start)):
        raise ValueError("the checksum of its start is wrong")
    if int(form[1]) > _SHARING:
        raise _NewerForm
    if whole != size or length > size - _FIRST:
        raise ValueError(f"it has {size} bytes, written were {whole}")
    header = read_raw(file, length, "header")
    if zlib.crc32(header) != checksum:
        raise ValueError("the checksum of its header is wrong")
    return header
