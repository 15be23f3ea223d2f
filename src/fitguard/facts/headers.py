"""Version numbers in the C headers that lie beside a library."""

import re
from collections.abc import Sequence
from pathlib import Path

# The numbers stand near the top of files of up to a megabyte.
_HEAD_BYTES = 65536


def read_encoded_version(header: Path, macro: str) -> str | None:
    """The version that a macro holds as one number: `CUDA_VERSION 12020` → 12.2."""
    number = _number(_head(header), macro)
    return f"{number // 1000}.{number % 1000 // 10}" if number else None


def read_split_version(header: Path, macros: Sequence[str]) -> str | None:
    """The version that macros hold part by part: CUDNN_MAJOR, CUDNN_MINOR …"""
    text = _head(header)
    parts = [_number(text, macro) for macro in macros]
    return ".".join(map(str, parts)) if parts[0] and None not in parts else None


def _head(header: Path) -> str:
    try:
        with header.open("rb") as stream:
            return stream.read(_HEAD_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _number(text: str, macro: str) -> int | None:
    match = re.search(rf"^\s*#\s*define\s+{macro}\s+(\d+)\b", text, re.MULTILINE)
    return int(match[1]) if match else None
