"""One snapshot, one file: a heading, and arrays as raw bytes, each at a multiple of 64.

The heading is that of monitor/snapshot_heading.py: the parent reads it as well.

A file gets its name only when all of it is on the disk. Nothing in it is ever executed, and arrays
take no more memory than the files are long that hold them. What did not change since an earlier
snapshot of the run is not written again: the heading says in which file it lies.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.raw_bytes import checksum, fill, view_bytes, write_raw
from fitguard.monitor.flushing import sync_file, sync_folder
from fitguard.monitor.regular_files import open_regular, open_unbuffered
from fitguard.monitor.snapshot_heading import (
    Entry,
    align_length,
    naming_faults,
    pack_heading,
    parse_heading,
    read_raw,
)
from fitguard.state.dtypes import dtype_of, name_of

TEMPORARY = ".part"
"""How files end that are not complete."""
_MOST_DIMENSIONS = 64


class Held(NamedTuple):
    """Where in another file of the run an array lies."""

    source: str
    offset: int


Find = Callable[[list[tuple[memoryview, int]]], list[Held | None]]
"""From bytes and checksums of arrays to the files that hold them."""
Locate = Callable[[str], Path]
"""The file that a heading names as a source."""


Reserve = Callable[[int, set[str]], None]
Permit = Callable[[], None]
"""Called before anything is written, with the length of the file and the sources that it needs."""


def reserve_nothing(length: int, sources: set[str]) -> None:
    """Where the disk has no limit."""


def find_nothing(arrays: list[tuple[memoryview, int]]) -> list[Held | None]:
    """For a snapshot that shares nothing with others."""
    return [None] * len(arrays)


def locate_nothing(source: str) -> Path:
    """Likewise, for reading."""
    raise ValueError(f"its arrays lie in {source}, which is not there")


def permit_all() -> None:
    """Likewise, for a folder that is ours alone."""


def write_snapshot(
    path: Path,
    content: Content,
    find: Find = find_nothing,
    reserve: Reserve = reserve_nothing,
    permit: Permit = permit_all,
) -> int:
    """Write a file that is there as a whole or not at all; its length.

    Args:
        permit: Called when all is written, before the file gets its name.

    Raises:
        OSError: where the disk is full, read-only or gone, or `reserve` has no room. No temporary
            file stays behind.
        TypeError: for an array or a document that needs pickle.
    """
    arrays = [view_bytes(array) for array in content.arrays.values()]
    entries = _list_entries(content, arrays, find)
    heading = pack_heading(content.document, entries)
    length = len(heading) + sum(align_length(one.nbytes) for one in entries if not one.source)
    reserve(length, {entry.source for entry in entries if entry.source})
    own = [raw for raw, entry in zip(arrays, entries, strict=True) if not entry.source]
    temporary = path.with_name(f"{path.name}.{os.getpid()}{TEMPORARY}")
    file = open_regular(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    try:
        try:
            written = _write_all(file, heading, own)
            sync_file(file)
        finally:
            os.close(file)
        permit()
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    sync_folder(path.parent)
    return written


def read_snapshot(path: Path, locate: Locate = locate_nothing) -> Content:
    """What the file holds, after all of its checksums.

    Raises:
        TornSnapshot: where it is incomplete, changed, or no snapshot.
        UnreadableSnapshot: where the disk or the memory does not give it.
        NewerSnapshot: where only a newer fitguard can read it.
    """
    with naming_faults(path), open_unbuffered(path) as file:
        return _read_content(file, os.fstat(file.fileno()).st_size, locate)


def _list_entries(content: Content, arrays: list[memoryview], find: Find) -> list[Entry]:
    checksums = [checksum(raw) for raw in arrays]
    elsewhere = find(list(zip(arrays, checksums, strict=True)))
    entries, offset = [], 0
    for (name, array), raw, sum_, held in zip(
        content.arrays.items(), arrays, checksums, elsewhere, strict=True
    ):
        described = (name, name_of(array.dtype), array.shape)
        if held is not None:
            entries.append(Entry(*described, held.offset, raw.nbytes, sum_, held.source))
            continue
        entries.append(Entry(*described, offset, raw.nbytes, sum_))
        offset += align_length(raw.nbytes)
    return entries


def _write_all(file: int, heading: bytes, arrays: list[memoryview]) -> int:
    written = write_raw(file, memoryview(heading))
    for raw in arrays:
        written += write_raw(file, raw)
        written += write_raw(file, memoryview(bytes(align_length(raw.nbytes) - raw.nbytes)))
    return written


def _read_content(file: BinaryIO, size: int, locate: Locate) -> Content:
    heading = parse_heading(file, size)
    left, arrays, offset = size - heading.arrays_at, {}, 0
    taken: Counter[str] = Counter()
    for entry in heading.entries:
        if entry.source:
            taken[entry.source] += max(entry.nbytes, 0)
            arrays[entry.name] = _read_elsewhere(entry, locate, taken[entry.source])
            continue
        if entry.offset != offset or not 0 <= entry.nbytes <= left - offset:
            raise ValueError(f"its array {entry.name!r} does not lie where it should")
        arrays[entry.name] = _read_array(file, entry)
        if any(read_raw(file, align_length(entry.nbytes) - entry.nbytes, "padding")):
            raise ValueError(f"the padding behind its array {entry.name!r} was changed")
        offset += align_length(entry.nbytes)
    if offset != left or len(arrays) != len(heading.entries):
        raise ValueError("its arrays are not those that its header names")
    return Content(heading.document, arrays)


def _read_elsewhere(entry: Entry, locate: Locate, taken: int) -> np.ndarray:
    """An array in another file, of which so much has been taken with it."""
    with open_unbuffered(locate(entry.source)) as file:
        size = os.fstat(file.fileno()).st_size
        if taken > size or not 0 <= entry.offset <= size - entry.nbytes <= size:
            raise ValueError(f"its array {entry.name!r} does not lie in {entry.source}")
        file.seek(entry.offset)
        return _read_array(file, entry)


def _read_array(file: BinaryIO, entry: Entry) -> np.ndarray:
    dtype, size = dtype_of(entry.dtype), _size(entry)
    if size * dtype.itemsize != entry.nbytes:
        raise ValueError(f"its array {entry.name!r} has another length than its shape says")
    array = np.empty(size, dtype)
    raw = array.view(np.uint8).data
    fill(file, raw, f"array {entry.name!r}")
    if checksum(raw) != entry.checksum:
        raise ValueError(f"the checksum of its array {entry.name!r} is wrong")
    return array.reshape(entry.shape)


def _size(entry: Entry) -> int:
    if len(entry.shape) > _MOST_DIMENSIONS or any(length < 0 for length in entry.shape):
        raise ValueError(f"its array {entry.name!r} has the shape {entry.shape[:9]}")
    size = 1
    for length in entry.shape:
        size *= length
    return size
