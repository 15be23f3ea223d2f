"""Bytes of arrays and files, some megabytes at a time: other threads of Python run in between."""

import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from fitguard.state.dtypes import name_of

_CHUNK_BYTES = 4 << 20


def view_bytes(array: np.ndarray) -> memoryview:
    """The bytes of an array, without a copy where they lie in a row.

    Raises:
        TypeError: for one that needs pickle.
    """
    name_of(array.dtype)
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def write_raw(file: int, raw: memoryview) -> int:
    """Write all of it; how much that was."""
    for chunk in _chunks(raw):
        while chunk:
            chunk = chunk[os.write(file, chunk) :]
    return raw.nbytes


def fill(file: BinaryIO, raw: memoryview, part: str) -> None:
    """Read into memory that is there.

    Raises:
        ValueError: where the file is too short.
    """
    for chunk in _chunks(raw):
        while chunk:
            count = file.readinto(chunk)  # type: ignore[attr-defined]
            if not count:
                raise ValueError(f"it ends inside of its {part}")
            chunk = chunk[count:]


def holds(file: int, offset: int, raw: memoryview) -> bool:
    """Whether an open file has these very bytes at a place."""
    for chunk in _chunks(raw):
        if os.pread(file, chunk.nbytes, offset) != chunk.tobytes():
            return False
        offset += chunk.nbytes
    return True


def checksum(raw: memoryview) -> int:
    """CRC-32."""
    result = 0
    for chunk in _chunks(raw):
        result = zlib.crc32(chunk, result)
    return result


def _chunks(raw: memoryview) -> Iterator[memoryview]:
    for start in range(0, raw.nbytes, _CHUNK_BYTES):
        yield raw[start : start + _CHUNK_BYTES]
