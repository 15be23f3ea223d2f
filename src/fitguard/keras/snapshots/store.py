"""The folder of snapshots: what is kept, and which is the furthest on that is whole.

All that lie in it are of one training: each can be gone on from, and the one that is furthest on
saves most. What is of another, or cannot be used, is set aside. Only what a later one makes
needless is removed.
"""

import contextlib
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec

from fitguard.keras.snapshots.aside import Aside
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import TEMPORARY, read_document, read_snapshot, write_snapshot
from fitguard.keras.snapshots.unusable import (
    TornSnapshot,
    UnreadableSnapshot,
    UnusableSnapshot,
)
from fitguard.monitor.flushing import make_folder, sync_folder
from fitguard.monitor.snapshot_names import NamedSnapshot, list_snapshots, name_snapshot
from fitguard.schema.run import Place

KEPT = 2
"""Running snapshots of the fit that trains; of an earlier one without an end, one."""


class SnapshotStore:
    """The snapshots of one run. One process writes at a time; the lock of the run sees to that.

    Args:
        folder: Made where it is missing, if that can be.
        tell: Called with a sentence on what the user should know.

    Attributes:
        torn: A sentence for each file that was no whole snapshot.
    """

    def __init__(self, folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
        self.torn: list[str] = []
        self._folder = folder
        self._tell = tell
        self._passed: dict[Path, UnusableSnapshot] = {}
        self._counters: dict[str, int] = {}
        self._moving = threading.Lock()
        with contextlib.suppress(OSError):
            make_folder(folder)
        for stale in folder.glob(f"*{TEMPORARY}"):
            _remove(stale)
        self._aside = Aside(folder)
        known = [*list_snapshots(folder), *self._aside.list_all()]
        self._counter = max((file.counter for file in known), default=0)
        self._tell_what_disk_cannot()

    def save(self, content: Content, place: Place, *, end: bool = False) -> int:
        """Write one, then remove those that it makes needless; its bytes.

        Args:
            content: Its document gets `place`, `end` and `counter`.
            end: The fit has ended: its running snapshots go once this one is on the disk.

        Raises:
            OSError: where it cannot be written. The others are left alone.
        """
        # Also where it fails: a name is never given twice.
        self._counter += 1
        told = {"place": msgspec.to_builtins(place), "end": end, "counter": self._counter}
        name = name_snapshot(place.fit, place.total_steps, self._counter, end=end)
        # The run's own folder is not made again: who removed it wants it gone.
        if self._folder.parent.is_dir():
            make_folder(self._folder)
        document = {**content.document, **told}
        written = write_snapshot(self._folder / name, Content(document, content.arrays))
        with self._moving:
            self._clear(place.fit, self._folder / name)
        return written

    def newest(self, fit: int | None = None) -> Content | None:
        """The furthest on that is whole: an end before all others; of one fit, where it is named.

        Where a fit has none, what was set aside of it is brought back, unless that was done by this
        process.
        """
        while True:
            for file in self._list():
                if fit in (None, file.fit) and (content := self._read(file)) is not None:
                    return content
            with self._moving:
                if fit is None or not self._aside.give_back(fit, self._find_end_before(fit)):
                    return None

    def set_aside(self, fit: int, *, later: bool = False) -> Path:
        """Move all of a fit out of the way: they belong to another training; where they lie now.

        Args:
            later: Those of the fits after it too.
        """
        with self._moving:
            files = [file for file in self._list() if file.fit == fit or (later and file.fit > fit)]
            try:
                return self._aside.take(files, fit, self._find_end_before(fit) if later else None)
            except OSError:
                for file in files:
                    self._passed[file.path] = UnusableSnapshot("It belongs to another training.")
                return self._folder

    def _find_end_before(self, fit: int) -> int:
        """Counter of the end that a fit begins from; 0 where there is none."""
        return next((file.counter for file in self._list() if file.end and file.fit < fit), 0)

    def _read(self, file: NamedSnapshot) -> Content | None:
        if file.path in self._passed:
            return None
        try:
            return read_snapshot(file.path)
        except TornSnapshot as error:
            self._passed[file.path] = error
            self.torn.append(str(error))
            with contextlib.suppress(OSError):
                moved = self._aside.keep_torn(file.path)
                self._tell(f"{error} It was moved to {moved}, and the one before it is used")
                return None
            self._tell(f"{error} The one before it is used")
        except UnusableSnapshot as error:
            self._passed[file.path] = error
            self._tell(
                f"{error} It stays in {file.path.parent} until the training is past it, and this "
                "attempt goes on from the one before it"
            )
        return None

    def _list(self) -> list[NamedSnapshot]:
        """The furthest on first, by the counter inside of each file where it has one."""
        files = [
            replace(file, counter=self._read_counter(file)) for file in list_snapshots(self._folder)
        ]
        return sorted(files, key=lambda file: file.order, reverse=True)

    def _read_counter(self, file: NamedSnapshot) -> int:
        name = file.path.name
        if name not in self._counters:
            self._counters[name] = file.counter
            with contextlib.suppress(UnusableSnapshot, LookupError, TypeError, ValueError):
                self._counters[name] = int(read_document(file.path)["counter"])
        return self._counters[name]

    def _clear(self, fit: int, newest: Path) -> None:
        """Remove what later ones have made needless."""
        files = self._list()
        usable = [file for file in files if file.path not in self._passed]
        ended = {file.fit for file in usable if file.end}
        kept: dict[tuple[int, bool], int] = {}
        for file in usable:
            group = (file.fit, file.end)
            kept[group] = kept.get(group, 0) + 1
            most = KEPT if file.fit == fit and not file.end else 1
            needless = kept[group] > most or (not file.end and file.fit in ended)
            if needless and file.path != newest:
                _remove(file.path)
        for file in files:
            error = self._passed.get(file.path)
            if isinstance(error, UnreadableSnapshot) and any(
                one.fit == file.fit and one.order > file.order for one in usable
            ):
                _remove(file.path)
        with contextlib.suppress(OSError):
            sync_folder(self._folder)

    def _tell_what_disk_cannot(self) -> None:
        with contextlib.suppress(OSError):
            if why := sync_folder(self._folder):
                self._tell(
                    f"the disk of {self._folder} cannot say when a new file is safe (fsync of a "
                    f"folder: {why}). After a power cut, the newest snapshot may be missing there; "
                    "the one before it is used then"
                )


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
