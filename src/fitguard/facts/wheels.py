"""Which wheel a library belongs to: `nvidia-cudnn-cu12` and its like."""

import csv
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_METADATA = re.compile(r"((?:nvidia|tensorrt)[^-]*)-([^-]+)\.dist-info", re.IGNORECASE)
_LIBRARY = re.compile(r"\.so(\.|$)")


@dataclass(frozen=True)
class Wheel:
    """An installed wheel of NVIDIA's."""

    name: str
    version: str


class Wheels:
    """The wheels of NVIDIA's in some site directories, and the libraries that they claim."""

    def __init__(self, site_directories: Sequence[Path]) -> None:
        self._claims: dict[str, list[tuple[Wheel, str]]] = {}
        for site in site_directories:
            for metadata, wheel in _find_wheels(site):
                for file, size_bytes in _record(metadata):
                    key = os.path.realpath(site / file)
                    self._claims.setdefault(key, []).append((wheel, size_bytes))

    def owner(self, library: Path) -> Wheel | None:
        """The wheel that a library came with.

        The wheels for CUDA 11 and 12 overwrite each other's files: the size tells whose it is.
        """
        claims = self._claims.get(os.path.realpath(library), [])
        if len(claims) > 1:
            size_bytes = str(library.stat().st_size)
            claims = [claim for claim in claims if claim[1] == size_bytes] or claims
        return claims[0][0] if claims else None


def library_directories(site_directories: Sequence[Path]) -> Iterator[Path]:
    """Where wheels keep their libraries."""
    for site in site_directories:
        if (site / "nvidia").is_dir():
            yield from sorted((site / "nvidia").glob("*/lib"))
        for name in ("tensorrt_libs", "tensorrt"):
            if (site / name).is_dir():
                yield site / name


def _find_wheels(site: Path) -> Iterator[tuple[Path, Wheel]]:
    try:
        names = sorted(entry.name for entry in os.scandir(site))
    except OSError:
        return
    for name in names:
        if match := _METADATA.fullmatch(name):
            yield site / name, Wheel(re.sub(r"[-_.]+", "-", match[1]).lower(), match[2])


def _record(metadata: Path) -> Iterator[tuple[str, str]]:
    """The libraries in a RECORD, each with its size as written there."""
    try:
        with (metadata / "RECORD").open(newline="", encoding="utf-8", errors="replace") as stream:
            for row in csv.reader(stream):
                if len(row) == 3 and _LIBRARY.search(row[0]):
                    yield row[0], row[2]
    except (OSError, csv.Error):
        return
