"""What lies in the files of a run, by their headings: each is read once.

What did not change since an earlier snapshot is not written again. A file that is needed for its
arrays only is no snapshot any more:

    fit00001-step00000000120-0000000003.arrays
"""

import contextlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from fitguard.keras.snapshots.file import Held
from fitguard.keras.snapshots.raw_bytes import holds
from fitguard.monitor.regular_files import open_unbuffered
from fitguard.monitor.snapshot_heading import Heading, read_heading
from fitguard.monitor.snapshot_names import SUFFIX, NamedSnapshot, list_snapshots
from fitguard.monitor.unusable_snapshots import TornSnapshot, UnusableSnapshot

ARRAYS = ".arrays"
LEAST_SHARED_BYTES = 4096
LEAST_SHARE = 0.25
"""Of a file that must then stay for it."""
MOST_SOURCES = 4

_Key = tuple[int, int]
"""Length and checksum of an array."""


@dataclass(frozen=True)
class _Known:
    """What is needed of a heading.

    Args:
        own: Its arrays that others may share, with the place of each.
    """

    counter: int | None
    steps: int
    sources: frozenset[str]
    own: tuple[tuple[_Key, int], ...]


class Inventory:
    """The files in the folder of snapshots, and in folders inside of it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, _Known | None] = {}

    def list_by_order(self) -> list[NamedSnapshot]:
        """The snapshots, the furthest on first; by the counter inside of each that has one."""
        files = [self._correct(file) for file in list_snapshots(self._folder)]
        return sorted(files, key=lambda file: file.order, reverse=True)

    def count_steps(self, file: NamedSnapshot) -> int:
        """Steps of its fit that it holds; the name of an end does not tell."""
        known = self._look(file.path)
        return known.steps if known is not None else file.steps

    def list_leftovers(self) -> list[Path]:
        """Files that are there for their arrays only."""
        named = re.compile(r"fit\d+-\w+-\d{1,18}")
        found = self._folder.glob(f"*{ARRAYS}")
        return [path for path in found if named.fullmatch(path.stem) and path.is_file()]

    def locate(self, source: str) -> Path:
        """The file that a heading names.

        Raises:
            ValueError: where it is gone.
        """
        for path in self._folder.rglob("*"):
            if path.stem == source and path.suffix in (SUFFIX, ARRAYS) and path.is_file():
                return path
        raise ValueError(f"{source}, which holds some of its arrays, is gone")

    def collect_sources(self, files: Iterable[NamedSnapshot]) -> "Needed":
        """What these files need of others."""
        sources: set[str] = set()
        unknown = 0
        for file in files:
            known = self._look(file.path)
            if known is None:
                unknown = max(unknown, file.counter)
            else:
                sources |= known.sources
        return Needed(sources, unknown)

    def find(self, arrays: list[tuple[memoryview, int]]) -> list[Held | None]:
        """Where in these files the same bytes lie; None where they are to be written."""
        paths = {path.stem: path for path in self._list_files()}
        places = self._index(paths)
        found = [_match(raw, places[raw.nbytes, sum_], paths) for raw, sum_ in arrays]
        shared: Counter[str] = Counter()
        for held, (raw, _) in zip(found, arrays, strict=True):
            if held is not None:
                shared[held.source] += raw.nbytes
        worth = {
            source
            for source, length in shared.most_common(MOST_SOURCES)
            if length >= LEAST_SHARE * _measure(paths[source])
        }
        return [held if held is not None and held.source in worth else None for held in found]

    def _index(self, paths: dict[str, Path]) -> defaultdict[_Key, list[Held]]:
        """The oldest first, so that one file serves all that come after it."""
        places: defaultdict[_Key, list[Held]] = defaultdict(list)
        for path in sorted(paths.values(), key=_counter_of):
            known = self._look(path)
            for key, offset in known.own if known is not None else ():
                places[key].append(Held(path.stem, offset))
        return places

    def _list_files(self) -> Iterator[Path]:
        yield from (file.path for file in list_snapshots(self._folder))
        yield from self.list_leftovers()

    def _correct(self, file: NamedSnapshot) -> NamedSnapshot:
        known = self._look(file.path)
        if known is None or known.counter is None:
            return file
        return replace(file, counter=known.counter)

    def _look(self, path: Path) -> _Known | None:
        """None where it cannot be read."""
        if path.stem not in self._known:
            try:
                self._known[path.stem] = _summarize(read_heading(path))
            except TornSnapshot:
                self._known[path.stem] = _Known(None, 0, frozenset(), ())
            except UnusableSnapshot:
                self._known[path.stem] = None
        return self._known[path.stem]


@dataclass(frozen=True)
class Needed:
    """Files that must stay for their arrays.

    Args:
        sources: By name, without suffix.
        unknown: Highest counter of a file that does not tell: what is older may be needed by it.
    """

    sources: set[str]
    unknown: int

    def includes(self, path: Path) -> bool:
        """Whether a file must stay."""
        return path.stem in self.sources or _counter_of(path) < self.unknown


def _counter_of(path: Path) -> int:
    """As its name says."""
    return int(path.stem.rpartition("-")[2])


def _match(raw: memoryview, places: list[Held], paths: dict[str, Path]) -> Held | None:
    if raw.nbytes < LEAST_SHARED_BYTES:
        return None
    for held in places:
        # Another thread may set a file aside meanwhile.
        with (
            contextlib.suppress(OSError),
            open_unbuffered(paths[held.source]) as file,
        ):
            if holds(file.fileno(), held.offset, raw):
                # Once each: a snapshot never has more arrays than its files have room for.
                places.remove(held)
                return held
    return None


def _measure(path: Path) -> float:
    try:
        return path.stat().st_size
    except OSError:
        return math.inf


def _summarize(heading: Heading) -> _Known:
    counter = heading.document.get("counter")
    place = heading.document.get("place")
    steps = place.get("total_steps") if isinstance(place, dict) else None
    own = (entry for entry in heading.entries if not entry.source)
    return _Known(
        counter if isinstance(counter, int) else None,
        steps if isinstance(steps, int) else 0,
        frozenset(heading.sources),
        tuple(
            ((entry.nbytes, entry.checksum), heading.arrays_at + entry.offset)
            for entry in own
            if entry.nbytes >= LEAST_SHARED_BYTES
        ),
    )
