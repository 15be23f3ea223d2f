"""The folder of snapshots: what is kept, and which is the furthest on that is whole.

All that lie in it are of one training: each can be gone on from, and the one that is furthest on
saves most. What is of another, or cannot be used, is set aside. Only what a later one makes
needless is removed.
"""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import msgspec

from fitguard.keras.snapshots.aside import Aside
from fitguard.keras.snapshots.budget import Budget
from fitguard.keras.snapshots.common_sets import find_lacking, list_spare, list_superseded
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import (
    TEMPORARY,
    Permit,
    permit_all,
    read_snapshot,
    write_snapshot,
)
from fitguard.keras.snapshots.inventory import ARRAYS, Inventory
from fitguard.monitor.flushing import sync_folder
from fitguard.monitor.regular_files import make_folder
from fitguard.monitor.snapshot_names import NamedSnapshot, list_snapshots, name_snapshot
from fitguard.monitor.unusable_snapshots import (
    TornSnapshot,
    UnreadableSnapshot,
    UnusableSnapshot,
)
from fitguard.schema.gang import SavedPlace
from fitguard.schema.run import Place

KEPT = 2
"""Running snapshots of the fit that trains, and of later ones; of an earlier one, one."""


class SnapshotStore:
    """The snapshots of one run. One process writes at a time; the lock of the run sees to that.

    Args:
        folder: Made where it is missing, if that can be.
        tell: Called with a sentence on what the user should know.
        limit_bytes: What it may hold; None for a share of what is free.
        permit: Called before a snapshot gets its name; it leaves where another host has the run.
        list_attempts: Those that trained what is saved now.
        list_complete: The newest places of which all workers of a gang have a snapshot; None for a
            training of its own.

    Attributes:
        torn: A sentence for each file that was no whole snapshot.
    """

    def __init__(
        self,
        folder: Path,
        tell: Callable[[str], None] = lambda _: None,
        limit_bytes: int | None = None,
        permit: Permit = permit_all,
        list_attempts: Callable[[], list[int]] = list,
        list_complete: Callable[[], Sequence[SavedPlace] | None] = lambda: None,
    ) -> None:
        self.torn: list[str] = []
        self._folder = folder
        self._tell = tell
        self._permit = permit
        self._list_attempts = list_attempts
        self._list_complete = list_complete
        self._passed: dict[Path, UnusableSnapshot] = {}
        self._short: set[int] = set()
        self._moving = threading.Lock()
        with contextlib.suppress(OSError):
            make_folder(folder, folder.parent)
        for stale in folder.glob(f"*{TEMPORARY}"):
            _remove(stale)
        self._aside = Aside(folder)
        self._inventory = Inventory(folder)
        self._budget = Budget(folder, limit_bytes, tell)
        known = [*list_snapshots(folder), *self._aside.list_all()]
        self._counter = max((file.counter for file in known), default=0)
        self._tell_what_disk_cannot()

    def save(self, content: Content, place: Place, *, end: bool = False) -> int:
        """Write one, then remove those that it makes needless; its bytes.

        Args:
            content: Its document gets `place`, `end`, `counter` and `attempts`.
            end: The fit has ended: its running snapshots go once this one is on the disk.

        Raises:
            OSError: where it cannot be written. The others are left alone.
        """
        # Also where it fails: a name is never given twice.
        self._counter += 1
        told = {
            "place": msgspec.to_builtins(place),
            "end": end,
            "counter": self._counter,
            "attempts": self._list_attempts(),
        }
        name = name_snapshot(place.fit, place.total_steps, self._counter, end=end)
        make_folder(self._folder, self._folder.parent)
        path, document = self._folder / name, {**content.document, **told}
        written = write_snapshot(
            path,
            Content(document, content.arrays),
            find=self._inventory.find,
            reserve=lambda length, sources: self._make_room(length, sources, place.fit),
            permit=self._permit,
        )
        with self._moving:
            files = self._inventory.list_by_order()
            needless = self._list_needless(files, place.fit)
            self._remove([one for one in needless if one != path])
        self._budget.tell_if_near()
        return written

    def newest(self, fit: int | None = None) -> Content | None:
        """The furthest on that is whole: an end before all others; of one fit, where it is named.

        Where a fit has no file, what was set aside of it is brought back, unless that was done by
        this process.
        """
        while True:
            files = [file for file in self._inventory.list_by_order() if fit in (None, file.fit)]
            for file in files:
                if (content := self._read(file)) is not None:
                    return content
            # What cannot be read now is of this training: another must not come between.
            if fit is None or any(file.path in self._passed for file in files):
                return None
            with self._moving:
                if not self._aside.give_back(fit, self._find_end_before(fit)):
                    return None

    def read_at(self, place: SavedPlace) -> Content | None:
        """The snapshot of one place; None where it is not there, or cannot be used."""
        for file in self._inventory.list_by_order():
            if file.place == place and (content := self._read(file)) is not None:
                return content
        return None

    def list_places(self) -> list[SavedPlace]:
        """Of all snapshots, the furthest on first."""
        return [file.place for file in self._inventory.list_by_order()]

    def find_lacking(self, start: SavedPlace) -> SavedPlace | None:
        """What is not there of all that is restored on the way to a place."""
        return find_lacking(self._inventory.list_by_order(), start)

    def go_back_to(self, start: SavedPlace | None) -> None:
        """Have nothing that is further on than the place from which all workers go on.

        Sets are made of files with equal names: a file of an earlier round must not become part of
        one. What lies behind a running snapshot was never complete, or that one would be gone. It
        is trained again from there, and removed. Where all begin at an end, or anew, a worker may
        have lost what the others still have: theirs is put aside.
        """
        if start is not None and not start.end:
            with self._moving:
                files = self._inventory.list_by_order()
                self._remove([file.path for file in files if file.place > start])
        else:
            self.put_aside(lambda place: start is None or place > start)

    def put_aside(self, choose: Callable[[SavedPlace], bool]) -> Path | None:
        """Move snapshots out of the way that the gang cannot use; where they lie now."""
        with self._moving:
            files = self._inventory.list_by_order()
            chosen = [file for file in files if choose(file.place)]
            if not chosen:
                return None
            try:
                group = self._aside.put_beyond(chosen)
            except OSError as error:
                for file in chosen:
                    self._passed[file.path] = UnusableSnapshot(str(error))
                return None
            self._remove([])
            return group

    def do_without(self, fit: int) -> None:
        """A fit that has ended is trained again sooner than its snapshots are worth the disk."""
        self._short.add(fit)

    def set_aside(self, fit: int, *, later: bool = False) -> Path:
        """Move all of a fit out of the way: they belong to another training; where they lie now.

        Args:
            later: Those of the fits after it too.
        """
        with self._moving:
            files = [
                file
                for file in self._inventory.list_by_order()
                if file.fit == fit or (later and file.fit > fit)
            ]
            if not files:
                return self._folder
            try:
                return self._aside.take(files, fit, self._find_end_before(fit) if later else None)
            except OSError:
                for file in files:
                    self._passed[file.path] = UnusableSnapshot("It belongs to another training.")
                return self._folder

    def _find_end_before(self, fit: int) -> int:
        """Counter of the end that a fit begins from; 0 where there is none."""
        return next(
            (
                file.counter
                for file in self._inventory.list_by_order()
                if file.end and file.fit < fit
            ),
            0,
        )

    def _read(self, file: NamedSnapshot) -> Content | None:
        if file.path in self._passed:
            return None
        try:
            return read_snapshot(file.path, self._inventory.locate)
        except TornSnapshot as error:
            self._passed[file.path] = error
            self.torn.append(str(error))
            with contextlib.suppress(OSError):
                moved = self._aside.keep_torn(file.path)
                self._tell(f"{error} It was moved to {moved}, and this attempt goes on without it")
                del self._passed[file.path]
                return None
            self._tell(f"{error} This attempt goes on without it")
        except UnusableSnapshot as error:
            self._passed[file.path] = error
            self._tell(
                f"{error} It stays in {file.path.parent}, and this attempt goes on without it"
            )
        return None

    def _make_room(self, length: int, sources: set[str], fit: int) -> None:
        """Remove what a restart can do without, as far as the budget asks for it.

        Raises:
            OSError: where that is not enough.
        """
        if not self._budget.lacks(length):
            return
        with self._moving:
            spare = self._list_dispensable(fit)
            if self._budget.lacks(length) <= sum(path.stat().st_size for path in spare):
                for path in spare:
                    self._remove([path], sources)
                    if not self._budget.lacks(length):
                        return
        self._budget.require(length)

    def _list_dispensable(self, fit: int) -> list[Path]:
        """What costs a restart least, first: a second one of this fit, then shorter fits."""
        files = [file for file in self._inventory.list_by_order() if file.path not in self._passed]
        if (complete := self._list_complete()) is not None:
            spare = [*self._aside.list_beyond(), *list_spare(files, complete)]
            return [file.path for file in spare]
        second = [file.path for file in files if file.fit == fit and not file.end][1:]
        # Behind such an end, a group that was set aside is found again.
        needed = self._aside.list_ends_needed()
        last_end = next((file for file in files if file.end), None)
        others = [
            file
            for file in files
            if file.fit != fit and file != last_end and file.counter not in needed
        ]
        return [*second, *(file.path for file in sorted(others, key=self._rate))]

    def _rate(self, file: NamedSnapshot) -> float:
        """Steps that it saves, for each byte."""
        return self._inventory.count_steps(file) / max(1, file.path.stat().st_size)

    def _remove(self, paths: list[Path], sources: Collection[str] = ()) -> None:
        """Remove files, but for what others need of them.

        Args:
            sources: Files that will be needed.
        """
        kept = [file for file in self._inventory.list_by_order() if file.path not in paths]
        needed = self._inventory.collect_sources([*kept, *self._aside.list_grouped()])
        needed.sources.update(sources)
        for path in paths:
            if needed.includes(path):
                _rename(path, self._folder / path.with_suffix(ARRAYS).name)
            else:
                _remove(path)
        old = (*self._aside.list_old_torn(), *self._aside.list_old_beyond())
        for path in (*self._inventory.list_leftovers(), *old):
            if not needed.includes(path):
                _remove(path)
        with contextlib.suppress(OSError):
            sync_folder(self._folder)

    def _list_needless(self, files: list[NamedSnapshot], fit: int) -> Iterator[Path]:
        if (complete := self._list_complete()) is not None:
            yield from (file.path for file in list_superseded(files, complete))
            return
        usable = [file for file in files if file.path not in self._passed]
        past = {file.fit for file in usable if file.end} | (self._short - {fit})
        kept: Counter[tuple[int, bool]] = Counter()
        for file in usable:
            kept[file.fit, file.end] += 1
            most = KEPT if file.fit >= fit and not file.end else 1
            if kept[file.fit, file.end] > most or (not file.end and file.fit in past):
                yield file.path
        for file in files:
            unread = isinstance(self._passed.get(file.path), UnreadableSnapshot)
            if unread and any(one.fit == file.fit and one.order > file.order for one in usable):
                yield file.path

    def _tell_what_disk_cannot(self) -> None:
        with contextlib.suppress(OSError):
            if why := sync_folder(self._folder):
                self._tell(
                    f"the disk of {self._folder} cannot say when a new file is safe (fsync of a "
                    f"folder: {why}). After a power cut, the newest snapshot may be missing there; "
                    "the one before it is used then"
                )


def _rename(path: Path, other: Path) -> None:
    with contextlib.suppress(OSError):
        path.rename(other)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
