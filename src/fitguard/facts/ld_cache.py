"""Reads /etc/ld.so.cache, the loader's list of libraries in the configured directories."""

import os
import re
import struct
from pathlib import Path

_MAGIC = b"glibc-ld.so.cache1.1"
_COUNT = struct.Struct("<I")
_HEADER_BYTES = 48
_ENTRY = struct.Struct("<iIIIQ")

# What ldconfig notes of a library's kind: the loader takes only its own.
_KINDS = {"x86_64": 0x0303, "aarch64": 0x0A03, "ppc64le": 0x0503}


def read(path: Path, wanted: re.Pattern[bytes]) -> tuple[Path, ...]:
    """The files in the cache whose name fits, in its order; none where it cannot be read.

    Older systems put the new format behind the old one; the offsets count from its own start.
    """
    try:
        data = path.read_bytes()
        start = data.index(_MAGIC)
        count = _COUNT.unpack_from(data, start + len(_MAGIC))[0]
        first = start + _HEADER_BYTES
        entries = list(_ENTRY.iter_unpack(data[first : first + count * _ENTRY.size]))
    except (OSError, ValueError, struct.error):
        return ()
    kind = _KINDS.get(os.uname().machine)
    return tuple(
        Path(_string(data, start + value).decode("utf-8", "surrogateescape"))
        for flags, key, value, _, _ in entries
        if kind in (None, flags) and wanted.fullmatch(_string(data, start + key))
    )


def _string(data: bytes, start: int) -> bytes:
    end = data.find(b"\0", start)
    return data[start:end] if end >= 0 else b""
