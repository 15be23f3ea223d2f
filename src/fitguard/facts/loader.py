"""Where the loader looks when TensorFlow opens a CUDA library by name.

    DT_RPATH of the library that asks, if that has no DT_RUNPATH; then the interpreter's
    LD_LIBRARY_PATH
    DT_RUNPATH of the library that asks
    /etc/ld.so.cache
    the default directories

It takes the first file that bears the name.
"""

import functools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fitguard.facts import elf, ld_cache
from fitguard.facts.elf import Elf

DEFAULT_DIRECTORIES = (
    *("lib64", "usr/lib64"),
    *("lib/{multiarch}", "usr/lib/{multiarch}"),
    *("lib", "usr/lib"),
)


@dataclass(frozen=True)
class Place:
    """A directory that the loader searches, and what leads it there."""

    path: Path
    found_by: str


@dataclass(frozen=True)
class SearchOrder:
    """The loader's order: the directories before the cache, the cache, the directories after it."""

    before_cache: tuple[Place, ...] = ()
    cached: tuple[Path, ...] = ()
    after_cache: tuple[Place, ...] = ()


class Loader:
    """The loader of one interpreter, asked for files whose name fits `wanted`.

    It reads every file once, however many libraries ask.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        executable: Path | None,
        wanted: re.Pattern[bytes],
        root: Path = Path("/"),
    ) -> None:
        self._library_path = library_path(environment)
        self._executable = executable
        self._cached = ld_cache.read(root / "etc/ld.so.cache", wanted)
        self._defaults = tuple(once(_defaults(root)))
        self._read = functools.cache(elf.read)

    def search_order(self, libraries: Sequence[Path]) -> SearchOrder:
        """Its order where these libraries ask."""
        asking = [(path, self._read(path) or Elf()) for path in libraries]
        before = [
            *self._rpaths(asking),
            *(Place(path, "LD_LIBRARY_PATH") for path in self._library_path),
            *_places(asking, "RUNPATH"),
        ]
        return SearchOrder(tuple(once(before)), self._cached, self._defaults)

    def _rpaths(self, asking: list[tuple[Path, Elf]]) -> Iterator[Place]:
        plain = [(path, library) for path, library in asking if not library.runpath]
        yield from _places(plain, "RPATH")
        executable = self._executable
        program = self._read(executable) if executable and plain else None
        if executable and program and not program.runpath:
            yield from _places([(Path(os.path.realpath(executable)), program)], "RPATH")


def library_path(environment: Mapping[str, str]) -> tuple[Path, ...]:
    """The directories in LD_LIBRARY_PATH; an empty entry is the current directory."""
    text = environment.get("LD_LIBRARY_PATH")
    return tuple(_absolute(entry) for entry in re.split("[:;]", text)) if text else ()


def _absolute(entry: str) -> Path:
    return Path(entry) if entry.startswith("/") else Path.cwd() / entry


def _places(holders: list[tuple[Path, Elf]], kind: str) -> Iterator[Place]:
    for path, library in holders:
        entries = library.rpath if kind == "RPATH" else library.runpath
        # TensorFlow 2.21 names 668 directories, most of them many times.
        for entry in dict.fromkeys(entries):
            text = entry.replace("${ORIGIN}", "$ORIGIN").replace("$ORIGIN", str(path.parent))
            yield Place(_absolute(text), f"{kind} of {path.name}")


def _defaults(root: Path) -> Iterator[Place]:
    multiarch = f"{os.uname().machine}-linux-gnu"
    for name in DEFAULT_DIRECTORIES:
        yield Place(root / name.format(multiarch=multiarch), "default directory")


def once(places: Iterable[Place]) -> Iterator[Place]:
    """The directories that exist, each the first time that it is named."""
    seen = set()
    for place in places:
        if place.path.is_dir() and (real := os.path.realpath(place.path)) not in seen:
            seen.add(real)
            yield place
