"""One snapshot, one file.

    magic and version      8 bytes
    length of the header   8 bytes, length of the file 8 bytes, checksum of the header 4 bytes,
                           checksum of the 28 bytes before 4 bytes; all little-endian
    header                 JSON: the document, and for each array name, dtype, shape, offset,
                           length and checksum
    arrays                 raw bytes, each at a multiple of 64

A file gets its name only when all of it is on the disk. Nothing in it is ever executed, and arrays
take no more memory than the file is long.
"""

import contextlib
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np

from fitguard.keras.snapshots.content import Content
from fitguard.monitor.regular_files import open_regular
from fitguard.state.dtypes import dtype_of, name_of

TEMPORARY = ".part"
"""How files end that are not complete."""

_MAGIC = b"FGSNAP1\n"
_START = struct.Struct("<8sQQI")
_CHECKSUM = struct.Struct("<I")
_FIRST = _START.size + _CHECKSUM.size
_ALIGNED = 64
_CHUNK_BYTES = 4 << 20
_MOST_DIMENSIONS = 64


_UNREADABLE = (
    OSError,
    TypeError,
    ValueError,
    KeyError,
    OverflowError,
    RecursionError,
    MemoryError,
    msgspec.MsgspecError,
)


class TornSnapshot(Exception):
    """A file that is no whole snapshot; the message says which, and what is wrong with it."""


class _Entry(msgspec.Struct, frozen=True, array_like=True):
    """Where an array lies; `offset` counts from the end of the header."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    offset: int
    nbytes: int
    checksum: int


def write_snapshot(path: Path, content: Content) -> int:
    """Write a file that is there as a whole or not at all; its length.

    Raises:
        OSError: where the disk is full, read-only or gone. No temporary file stays behind.
        TypeError: for an array or a document that needs pickle.
    """
    arrays = [_raw_bytes(array) for array in content.arrays.values()]
    header = _header(content, arrays)
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    file = open_regular(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            written = _write_all(file, header, arrays)
            os.fsync(file)
        finally:
            os.close(file)
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)
    return written


def sync_folder(folder: Path) -> None:
    """Wait until names in the folder are on the disk."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def read_snapshot(path: Path) -> Content:
    """What the file holds, after all of its checksums.

    Raises:
        TornSnapshot: where it is incomplete, changed, no snapshot, or cannot be read.
    """
    try:
        with path.open("rb", buffering=0) as file:
            return _content(file, os.fstat(file.fileno()).st_size)
    except _UNREADABLE as error:
        raise TornSnapshot(f"{path.name} is not a whole snapshot: {error}.") from error


def read_document(path: Path) -> dict[str, Any]:
    """The document alone; the arrays are not looked at.

    Raises:
        TornSnapshot: as `read_snapshot`.
    """
    try:
        with path.open("rb", buffering=0) as file:
            header = _read_header(file, os.fstat(file.fileno()).st_size)
        return dict(json.loads(header)["document"])
    except _UNREADABLE as error:
        raise TornSnapshot(f"{path.name} is not a whole snapshot: {error}.") from error


def _raw_bytes(array: np.ndarray) -> memoryview:
    """The bytes of an array, without a copy where they lie in a row."""
    name_of(array.dtype)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _header(content: Content, arrays: list[memoryview]) -> bytes:
    entries, offset = [], 0
    for (name, array), raw in zip(content.arrays.items(), arrays, strict=True):
        dtype = name_of(array.dtype)
        entries.append(_Entry(name, dtype, array.shape, offset, raw.nbytes, _checksum(raw)))
        offset += _align_length(raw.nbytes)
    # Not msgspec: the state of a random generator has integers of 128 bits.
    fields = {"document": content.document, "arrays": msgspec.to_builtins(entries)}
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (_align_length(_FIRST + len(text)) - _FIRST - len(text))
    start = _START.pack(_MAGIC, len(text), _FIRST + len(text) + offset, zlib.crc32(text))
    return start + _CHECKSUM.pack(zlib.crc32(start)) + text


def _write_all(file: int, header: bytes, arrays: list[memoryview]) -> int:
    written = _write(file, memoryview(header))
    for raw in arrays:
        written += _write(file, raw)
        written += _write(file, memoryview(bytes(_align_length(raw.nbytes) - raw.nbytes)))
    return written


def _write(file: int, raw: memoryview) -> int:
    for chunk in _chunks(raw):
        while chunk:
            chunk = chunk[os.write(file, chunk) :]
    return raw.nbytes


def _content(file: BinaryIO, size: int) -> Content:
    header = _read_header(file, size)
    fields = json.loads(header)
    del header
    document, entries = fields["document"], msgspec.convert(fields["arrays"], list[_Entry])
    if not isinstance(document, dict):
        raise ValueError("its document is no object")
    left, arrays, offset = size - file.tell(), {}, 0
    for entry in entries:
        if entry.offset != offset or not 0 <= entry.nbytes <= left - offset:
            raise ValueError(f"its array {entry.name!r} does not lie where it should")
        arrays[entry.name] = _array(file, entry)
        offset += _align_length(entry.nbytes)
    if offset != left or len(arrays) != len(entries):
        raise ValueError("its arrays are not those that its header names")
    return Content(document, arrays)


def _read_header(file: BinaryIO, size: int) -> bytes:
    start = _read(file, _START.size, "start")
    magic, length, whole, checksum = _START.unpack(start)
    if magic != _MAGIC:
        raise ValueError(f"it begins with {magic!r}, a snapshot begins with {_MAGIC!r}")
    if _read(file, _CHECKSUM.size, "start") != _CHECKSUM.pack(zlib.crc32(start)):
        raise ValueError("the checksum of its start is wrong")
    if whole != size or length > size - _FIRST:
        raise ValueError(f"it has {size} bytes, written were {whole}")
    header = _read(file, length, "header")
    if zlib.crc32(header) != checksum:
        raise ValueError("the checksum of its header is wrong")
    return header


def _read(file: BinaryIO, length: int, part: str) -> bytes:
    content = bytearray(length)
    _fill(file, memoryview(content), part)
    return bytes(content)


def _fill(file: BinaryIO, raw: memoryview, part: str) -> None:
    for chunk in _chunks(raw):
        while chunk:
            count = file.readinto(chunk)  # type: ignore[attr-defined]
            if not count:
                raise ValueError(f"it ends inside of its {part}")
            chunk = chunk[count:]


def _array(file: BinaryIO, entry: _Entry) -> np.ndarray:
    dtype, size = dtype_of(entry.dtype), _size(entry)
    if size * dtype.itemsize != entry.nbytes:
        raise ValueError(f"its array {entry.name!r} has another length than its shape says")
    array = np.empty(size, dtype)
    raw = array.view(np.uint8).data
    _fill(file, raw, f"array {entry.name!r}")
    if _checksum(raw) != entry.checksum:
        raise ValueError(f"the checksum of its array {entry.name!r} is wrong")
    if any(_read(file, _align_length(entry.nbytes) - entry.nbytes, "padding")):
        raise ValueError(f"the padding behind its array {entry.name!r} was changed")
    return array.reshape(entry.shape)


def _size(entry: _Entry) -> int:
    if len(entry.shape) > _MOST_DIMENSIONS or any(length < 0 for length in entry.shape):
        raise ValueError(f"its array {entry.name!r} has the shape {entry.shape[:9]}")
    size = 1
    for length in entry.shape:
        size *= length
    return size


def _checksum(raw: memoryview) -> int:
    checksum = 0
    for chunk in _chunks(raw):
        checksum = zlib.crc32(chunk, checksum)
    return checksum


def _chunks(raw: memoryview) -> Iterator[memoryview]:
    """Pieces of some megabytes: other threads of Python can run between them."""
    for start in range(0, raw.nbytes, _CHUNK_BYTES):
        yield raw[start : start + _CHUNK_BYTES]


def _align_length(length: int) -> int:
    return -(-length // _ALIGNED) * _ALIGNED
