"""The folder of snapshots: what is kept, and which is the newest that is whole.

    fit00002-step00000000120-0000000017.snapshot    while fit 2 trains
    fit00001-end-0000000009.snapshot                fit 1 has ended

The last number counts all snapshots of the run: the order never depends on a clock.
"""

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import (
    TEMPORARY,
    TornSnapshot,
    read_snapshot,
    sync_folder,
    write_snapshot,
)
from fitguard.schema.run import Place

KEPT = 2
"""Running snapshots of the fit that trains; of an earlier one without an end, one."""
_NAME = re.compile(r"fit(\d{1,12})-(?:step(\d{1,18})|(end))-(\d{1,18})\.snapshot")


@dataclass(frozen=True)
class _File:
    path: Path
    fit: int
    end: bool
    counter: int


class SnapshotStore:
    """The snapshots of one run. One process writes at a time; the lock of the run sees to that.

    Args:
        folder: Made where it is missing, if that can be.

    Attributes:
        torn: A sentence for each file that was no whole snapshot.
    """

    def __init__(self, folder: Path) -> None:
        self.torn: list[str] = []
        self._folder = folder
        self._torn_files: set[Path] = set()
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
        for stale in folder.glob(f"*{TEMPORARY}"):
            _remove(stale)
        self._counter = max((file.counter for file in self._files()), default=0)

    def save(self, content: Content, place: Place, *, end: bool = False) -> int:
        """Write one, then remove those that it makes needless; its bytes.

        Args:
            content: Its document gets `place` and `end`.
            end: The fit has ended: its running snapshots go once this one is on the disk.

        Raises:
            OSError: where it cannot be written. The others are left alone.
        """
        document = {**content.document, "place": msgspec.to_builtins(place), "end": end}
        step = "end" if end else f"step{place.total_steps:011d}"
        name = f"fit{place.fit:05d}-{step}-{self._counter + 1:010d}.snapshot"
        # The run's own folder is not made again: who removed it wants it gone.
        self._folder.mkdir(exist_ok=True)
        written = write_snapshot(self._folder / name, Content(document, content.arrays))
        self._counter += 1
        self._clear(place.fit)
        return written

    def newest(self, fit: int | None = None) -> Content | None:
        """The newest whole one, also an end; of this fit only, where one is named."""
        files = [file for file in self._files() if fit in (None, file.fit)]
        return self._first_whole(files)

    def end_of(self, fit: int) -> Content | None:
        """The state at the end of a fit; None where it did not end."""
        return self._first_whole([file for file in self._files() if file.end and file.fit == fit])

    def forget(self, fit: int, *, later: bool = False) -> None:
        """Remove all of a fit: they belong to another; `later` for those after it too."""
        for file in self._files():
            if file.fit == fit or (later and file.fit > fit):
                _remove(file.path)

    def _first_whole(self, files: list[_File]) -> Content | None:
        for file in files:
            try:
                return read_snapshot(file.path)
            except TornSnapshot as error:
                if file.path not in self._torn_files:
                    self._torn_files.add(file.path)
                    self.torn.append(str(error))
        return None

    def _files(self) -> list[_File]:
        """The newest first."""
        found = []
        for path in self._folder.glob("*.snapshot"):
            if match := _NAME.fullmatch(path.name):
                fit, _, end, counter = match.groups()
                found.append(_File(path, int(fit), end is not None, int(counter)))
        return sorted(found, key=lambda file: file.counter, reverse=True)

    def _clear(self, fit: int) -> None:
        files = [file for file in self._files() if file.path not in self._torn_files]
        kept: dict[tuple[int, bool], int] = {}
        ended = {file.fit for file in files if file.end}
        for file in files:
            group = (file.fit, file.end)
            kept[group] = kept.get(group, 0) + 1
            most = KEPT if file.fit == fit else 1
            if kept[group] > (1 if file.end else most) or (not file.end and file.fit in ended):
                _remove(file.path)
        for torn in self._torn_files:
            _remove(torn)
        with contextlib.suppress(OSError):
            sync_folder(self._folder)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
