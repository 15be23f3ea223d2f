"""Reads from a shared library where the loader searches for others, and what texts are in it."""

import mmap
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_HEADER = struct.Struct("<16xHHIQQQIHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_DYNAMIC_ENTRY = struct.Struct("<qQ")
_SECTIONS = struct.Struct("<40xQ10xHHH")
_SECTION = struct.Struct("<I20xQQ24x")

_LOADED_SEGMENT, _DYNAMIC_SEGMENT = 1, 2
_END, _NEEDED, _STRING_TABLE, _SONAME, _RPATH, _RUNPATH = 0, 1, 5, 14, 15, 29

_LONGEST_STRING = 2**20
_MOST_ENTRIES = 4096


@dataclass(frozen=True)
class Elf:
    """The dynamic section of a library: the paths are as written, with `$ORIGIN` in them."""

    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    soname: str | None = None
    needed: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Segment:
    kind: int
    offset: int
    address: int
    size: int


def read(path: Path) -> Elf | None:
    """The dynamic section of a 64-bit little-endian library; None for anything else.

    Only the pages that hold it are read: TensorFlow's libraries have a gigabyte.
    """
    try:
        with (
            path.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            return _parse(data)
    except (OSError, ValueError, struct.error, OverflowError):
        return None


def holds_texts(path: Path, texts: Sequence[bytes]) -> bool:
    """Whether each of these is one of a library's constants, from one NUL to the next.

    Only the section of constants is read.
    """
    try:
        with (
            path.open("rb") as stream,
            mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data,
        ):
            start, end = _find_constants(data) if _is_elf(data) else (0, 0)
            return all(_has_constant(data, start, end, text + b"\0") for text in texts)
    except (OSError, ValueError, IndexError, struct.error, OverflowError):
        return False


def _has_constant(data: mmap.mmap, start: int, end: int, text: bytes) -> bool:
    is_first = start < end and data[start : start + len(text)] == text
    return is_first or data.find(b"\0" + text, start, end) >= 0


def _find_constants(data: mmap.mmap) -> tuple[int, int]:
    """Where the section `.rodata` begins and ends; nowhere where there is none."""
    table, size, count, names = _SECTIONS.unpack_from(data)
    sections = [_SECTION.unpack_from(data, table + index * size) for index in range(count)]
    for name, offset, length in sections:
        if _string(data, sections[names][1] + name) == ".rodata":
            return offset, offset + length
    return 0, 0


def _is_elf(data: mmap.mmap) -> bool:
    return data[:6] == b"\x7fELF\x02\x01"


def _parse(data: mmap.mmap) -> Elf | None:
    if not _is_elf(data):
        return None
    segments = list(_segments(data))
    dynamic = next((item for item in segments if item.kind == _DYNAMIC_SEGMENT), None)
    if dynamic is None:
        return Elf()
    entries = list(_entries(data, dynamic))
    address = next((value for tag, value in entries if tag == _STRING_TABLE), None)
    if address is None:
        return Elf()
    table = _file_offset(segments, address)

    def strings(wanted: int) -> tuple[str, ...]:
        return tuple(_string(data, table + value) for tag, value in entries if tag == wanted)

    return Elf(
        rpath=_directories(strings(_RPATH)),
        runpath=_directories(strings(_RUNPATH)),
        soname=next(iter(strings(_SONAME)), None),
        needed=strings(_NEEDED),
    )


def _segments(data: mmap.mmap) -> Iterator[_Segment]:
    _, _, _, _, start, _, _, _, size, count = _HEADER.unpack_from(data)
    for index in range(count):
        kind, _, offset, address, _, length, _, _ = _SEGMENT.unpack_from(data, start + index * size)
        yield _Segment(kind, offset, address, length)


def _entries(data: mmap.mmap, dynamic: _Segment) -> Iterator[tuple[int, int]]:
    for index in range(min(dynamic.size // _DYNAMIC_ENTRY.size, _MOST_ENTRIES)):
        tag, value = _DYNAMIC_ENTRY.unpack_from(data, dynamic.offset + index * _DYNAMIC_ENTRY.size)
        if tag == _END:
            return
        yield tag, value


def _file_offset(segments: list[_Segment], address: int) -> int:
    for segment in segments:
        start = segment.address
        if segment.kind == _LOADED_SEGMENT and start <= address < start + segment.size:
            return address - start + segment.offset
    raise ValueError("the address of the string table lies in no loaded segment")


def _string(data: mmap.mmap, start: int) -> str:
    end = data.find(b"\0", start, start + _LONGEST_STRING)
    if end < 0:
        raise ValueError("a string has no end")
    return data[start:end].decode("utf-8", "replace")


def _directories(paths: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(entry for path in paths for entry in path.split(":"))
