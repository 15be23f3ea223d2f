"""What the run has done so far, as this attempt does it again."""

import os
import threading
from collections.abc import Callable

from fitguard.keras.world.ledger import Deed, Ledger
from fitguard.keras.world.manifest import Manifest, status_of
from fitguard.keras.world.territory import Territory, is_inside, is_scratch, normal
from fitguard.keras.world.watching import How, call_unheard

MOST_FILES = 5000


class Replay:
    """Takes note of each deed, and lets the script find what it found the first time.

    Attributes:
        files: Written by the run, `folders` made by it, `removed` what was there before it.
        touched: What this attempt itself has opened for writing.
        is_restored: Whether a moment of the training was, in this attempt.
    """

    def __init__(self, ledger: Ledger, territory: Territory) -> None:
        self.past = ledger.past
        self.files: set[str] = set()
        self.folders: set[str] = set()
        self.removed: set[str] = set()
        self.touched: set[str] = set()
        self.lock = threading.RLock()
        self._ledger = ledger
        self._territory = territory
        self._new = set(self.past.folders)
        self._gone = set(self.past.removed)
        self._made: set[str] = set()
        self.is_restored = False

    def note_restored(self, moment: Manifest) -> None:
        """All is as it was then; what was done by then is not done again."""
        self.is_restored = True
        self.files |= moment.files.keys()
        self.folders |= moment.folders
        self.removed |= moment.removed
        self._new -= moment.folders
        self._gone -= moment.removed

    def touch(self, path: object, how: How, by: str = "") -> None:
        """A file is about to be opened for writing."""
        name = self._counting(path)
        with self.lock:
            if name is None or is_scratch(by) or len(self.files) >= MOST_FILES:
                return
            self._tell_file(name, how)
            if how != "exclusive" or status_of(name) is None:
                self.touched.add(name)
                self.files.add(name)

    def _tell_file(self, name: str, how: How) -> None:
        status, is_first = status_of(name), name not in self.touched
        if status is None and is_first:
            self._made.add(name)
            self._ledger.add("file", name)
        if how == "write":
            return
        if name in self._made or name in self.past.files:
            self._ledger.add("log", name)
        elif how == "append" and status is not None and is_first and not self.is_restored:
            self._ledger.add("appended", name, status.st_size)

    def record_folder(self, path: object, by: str = "") -> None:
        """A folder was made."""
        name = self._counting(path)
        if name is not None and is_scratch(by):
            self._territory.leave_out(name)
        elif name is not None:
            with self.lock:
                self.folders.add(name)
                self._new.discard(name)
                self._ledger.add("folder", name)

    def was_made(self, path: object) -> bool:
        """Whether a folder that is there counts as new."""
        name = normal(path)
        return name in self._new and os.path.isdir(name) and not os.path.islink(name)

    def removing(self, path: object) -> Callable[[], None]:
        """Something is about to be removed; what to call when it is."""
        name = self._counting(path)
        if name is None:
            return lambda: None
        before = os.path.lexists(name) or name in self._gone

        def note_done() -> None:
            with self.lock:
                if before and not self._is_own(name):
                    self.removed.add(name)
                    self._ledger.add("removed", name)
                self._gone.discard(name)
                self.files.discard(name)
                self.folders.discard(name)

        return note_done

    def was_removed(self, path: object) -> bool:
        """Whether it counts as there, although it is gone."""
        return normal(path) in self._gone

    def on_tree_removal(self, path: object) -> None:
        """`shutil.rmtree` is about to begin: one that counts as there is made, to be removed."""
        name = self._counting(path)
        if name is None:
            return
        if name in self._gone and not os.path.lexists(name):
            os.mkdir(name)
        if os.path.isdir(name) and not self._is_own(name):
            # Its own last step, an `os.rmdir`, says the rest.
            self._ledger.add("removed", name)

    def renaming(self, old: object, new: object) -> Callable[[], None]:
        """Something is about to be renamed; what to call when it is."""
        source, target = normal(old), normal(new)
        if source is None or target is None:
            return lambda: None
        own, there = self._is_own(source), os.path.lexists(target)

        def note_done() -> None:
            with self.lock:
                call_unheard(self._record_rename, source, target, own, there)

        return note_done

    def _record_rename(self, source: str, target: str, own: bool, there: bool) -> None:
        if not own and self._territory.counts(source):
            self.removed.add(source)
            self._ledger.add("renamed", source, target)
        self._gone.discard(source)
        self.files.discard(source)
        if os.path.isdir(target):
            self._move("folder", self.folders, source, target)
            self._move("file", self.files, source, target)
        elif self._territory.counts(target):
            self.files.add(target)
            self.touched.add(target)
            if not there:
                self._ledger.add("file", target)

    def _move(self, deed: Deed, group: set[str], source: str, target: str) -> None:
        """What is in a folder goes with it."""
        inside = {name for name in group if is_inside(name, source)}
        moved = {target + name[len(source) :] for name in inside}
        group -= inside
        group |= moved
        self.touched |= moved
        for name in sorted(moved):
            self._ledger.add(deed, name)

    def was_renamed(self, old: object, new: object) -> bool:
        """Whether exactly that was done by an earlier attempt, and its result is there."""
        source, target = normal(old), normal(new)
        if source not in self._gone or target is None:
            return False
        return self.past.renamed.get(source) == target and os.path.lexists(target)

    def record_link(self, path: object) -> None:
        """A symbolic link was made."""
        name = self._counting(path)
        if name is not None:
            self.touched.add(name)
            self._ledger.add("file", name)

    def was_linked(self, target: object, path: object) -> bool:
        """Whether an earlier attempt made just this link, and this one has not yet."""
        name = normal(path)
        if name not in self.past.files or name in self.touched or not isinstance(target, str):
            return False
        return os.path.islink(name) and os.readlink(name) == target

    def _is_own(self, name: str) -> bool:
        """Whether the run made it, in this attempt or before."""
        known = (self.files, self.folders, self.past.files, self.past.folders)
        return any(name in group for group in known)

    def _counting(self, path: object) -> str | None:
        name = normal(path)
        return name if name is not None and self._territory.counts(name) else None
