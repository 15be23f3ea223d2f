"""One attempt's view of files and folders: read for a snapshot, written when one is restored."""

import collections
import contextlib
import os
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from fitguard.keras.session import Session
from fitguard.keras.world.aside import Aside
from fitguard.keras.world.c_writers import CWriters
from fitguard.keras.world.contents import Contents, NotKept
from fitguard.keras.world.failing import remedy
from fitguard.keras.world.ledger import Ledger
from fitguard.keras.world.manifest import Document, Entry, Kind, Manifest, status_of
from fitguard.keras.world.named import MOST_ENTRIES, Listing, find_callback_paths
from fitguard.keras.world.open_files import OpenFiles
from fitguard.keras.world.putting_back import PuttingBack, Signature, signature
from fitguard.keras.world.replay import MOST_FILES, Replay
from fitguard.keras.world.replaying import replaying
from fitguard.keras.world.rewinding import Rewinding
from fitguard.keras.world.territory import Territory, normal
from fitguard.keras.world.watching import call_unheard, watch
from fitguard.monitor.snapshot_heading import read_heading
from fitguard.monitor.unusable_snapshots import UnusableSnapshot

_IN_FLIGHT = 4
"""Snapshots that may not be on the disk yet: read, waiting, being written."""
_TICK_NS = 20_000_000
"""Files that change twice within it may show the same time."""


class World(Replay):
    """Files and folders of one attempt."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._home = normal(".") or "/"
        self._began = time.time() - 1
        folder, attempt = session.folder, session.orders.attempt
        ledger = Ledger(folder.deeds, attempt, self._home, self._tell_of_refused_deeds)
        self._territory = Territory(folder.path, self._home)
        aside = Aside(folder, attempt, self._home)
        super().__init__(ledger, self._territory)
        self._aside = aside
        self._rewinding = Rewinding(ledger.past, aside)
        self._contents = Contents(folder.kept_files, self._collect_needed_digests)
        self._c_writers = CWriters(self)
        self._open = OpenFiles()
        self._putting = PuttingBack(self._contents, aside, self._open, self._territory.counts)
        self._recent: collections.deque[set[str]] = collections.deque(maxlen=_IN_FLIGHT)
        self._checkpoints: set[str] = set()
        self._digests: dict[str, tuple[Signature, str]] = {}
        self._is_training = False
        self._given: dict[str, Signature] = {}
        self._said: set[str] = set()

    def begin(self) -> None:
        """The script is about to run."""
        with contextlib.suppress(Exception):
            self._rewinding.begin()

    def fit_begins(self) -> None:
        """A `fit` is called: what is there before the first one, the top of the script has made."""
        if not self._is_training:
            self._is_training = True
            with self.lock:
                found = {path: status_of(path) for path in self.touched}
                self._given = {path: signature(one) for path, one in found.items() if one}

    def read(self, callbacks: Iterable[Any] = ()) -> Document:
        """What the run has written so far, for the document of a snapshot. It never raises.

        Args:
            callbacks: Of the `fit` call: paths among their attributes are looked at.
        """
        if not self._session.is_here:
            return {}
        try:
            with self.lock:
                self._recent.append(set())
                manifest: Manifest = call_unheard(self._read, callbacks)
            return manifest.document(self._home)
        except Exception as error:
            self._say_once("read", f"files beside the model are not kept: {error}")
            return {}

    def write(self, document: Document) -> list[str]:
        """Make files and folders what they were when that was read; why one is not. Never raises.

        For a `fit` that is resumed, and for each one that had ended and is not trained again.
        """
        if not document or not self._session.is_here:
            return []
        try:
            moment = Manifest.of(document, self._home)
            with contextlib.suppress(OSError):
                self.flush()
            self._recent.append({entry.digest for entry in moment.files.values()})
            with self.lock:
                lost: list[str] = call_unheard(self._write, moment)
                return lost
        except Exception as error:
            return [f"files beside the model could not be put back: {error}"]

    def flush(self) -> None:
        """Have on the disk what the documents that were read so far rely on.

        Raises:
            OSError: where the disk fails.
        """
        call_unheard(self._contents.flush)
        call_unheard(self._ledger.flush)

    def remedy(self, error: BaseException) -> str:
        """What to change in the script, where this error came of what an earlier attempt did."""
        with contextlib.suppress(Exception):
            return remedy(error, self.past, self._territory)
        return ""

    def on_import(self) -> None:
        """The script may have loaded a library that writes files on its own."""
        self._c_writers.look()

    def note_checkpoint_folder(self, folder: str) -> None:
        """TensorFlow wrote something there: the parts of a checkpoint come without a word."""
        self._checkpoints.add(folder)

    def close(self) -> None:
        """No more will happen."""
        self._c_writers.close()
        self._ledger.close()
        if self._session.is_here:
            with contextlib.suppress(OSError):
                self._contents.flush()
            if not self.is_restored:
                self._rewinding.give_back()

    def _read(self, callbacks: Iterable[Any]) -> Manifest:
        self._find(callbacks)
        found = {path: status for path in self.files if (status := status_of(path))}
        held = self._open.flush({(one.st_dev, one.st_ino) for one in found.values()})
        files = {}
        for path in sorted(found):
            status = status_of(path)
            if status is not None:
                is_held = (status.st_dev, status.st_ino) in held
                files[path] = self._entry(path, status, "held" if is_held else "")
        folders = {path for path in self.folders if os.path.isdir(path)}
        return Manifest(files, folders, set(self.removed))

    def _entry(self, path: str, status: os.stat_result, kind: Kind) -> Entry:
        digest = ""
        if self._given.get(path) == signature(status):
            kind = "given"
        else:
            digest = self._digest(path, status)
        return Entry(status.st_size, digest, status.st_mtime_ns, status.st_mode & 0o777, kind)

    def _find(self, callbacks: Iterable[Any]) -> None:
        """Files that no event told of."""
        listing = Listing(self._began)
        made = self.folders | self.past.folders.keys()
        looks = chain(
            *(listing.inside(folder) for folder in _highest(made)),
            *(listing.find_written(path, self._home) for path in find_callback_paths(callbacks)),
            *(listing.checkpoint_parts(folder) for folder in self._checkpoints),
        )
        self.files |= {path for path in {*looks} - self.files if self._territory.counts(path)}
        if not listing.complete or len(self.files) >= MOST_FILES:
            self._say_once(
                "many",
                f"the training writes more files than fitguard tracks ({MOST_ENTRIES}). After a "
                "restart, the others stay as they are",
            )

    def _digest(self, path: str, status: os.stat_result) -> str:
        """Of a content that is kept now; empty where it cannot be."""
        present = signature(status)
        known = self._digests.get(path)
        if known is not None and known[0] == present and self._is_kept(known[1]):
            self._recent[-1].add(known[1])
            return known[1]
        try:
            digest = self._contents.keep(path)
            self._recent[-1].add(digest)
        except NotKept as why:
            name = os.path.relpath(path, self._home)
            self._say_once(
                path,
                f"{name} is not kept beside the snapshots: {why}. If the script removes or "
                "overwrites it, a restart cannot restore it",
            )
            digest = ""
        if time.time_ns() - status.st_mtime_ns > _TICK_NS:
            self._digests[path] = (present, digest)
        return digest

    def _is_kept(self, digest: str) -> bool:
        return not digest or digest in self._contents

    def _write(self, moment: Manifest) -> list[str]:
        later = [
            path
            for path in self.past.files
            if path not in moment.files and path not in self.touched and self._is_in_the_way(path)
        ]
        lost = self._putting.set_aside(later)
        lost += self._putting.put_back(moment.files)
        for folder in sorted(moment.folders):
            with contextlib.suppress(OSError):
                Path(folder).mkdir(parents=True, exist_ok=True)
        for folder in sorted(self.past.folders.keys() - moment.folders - self.folders)[::-1]:
            with contextlib.suppress(OSError):
                # Only an empty one goes.
                Path(folder).rmdir()
        for path, entry in moment.files.items():
            if entry.kind != "given":
                self._given.pop(path, None)
        self.note_restored(moment)
        self._tell(self._putting.changed)
        return [sentence.replace(f"{self._home}/", "") for sentence in lost]

    def _is_in_the_way(self, path: str) -> bool:
        """Whether a file that was made later is taken away.

        What is written anew replaces itself, and may be a mark that the script sets for itself. But
        a log would hold lines twice, and a folder of the run is to be as it was.
        """
        status = status_of(path)
        if status is None or not status.st_size:
            return False
        made = self.past.folders.keys()
        return path in self.past.logs or any(str(folder) in made for folder in Path(path).parents)

    def _tell(self, changed: list[str]) -> None:
        if not changed:
            return
        names = [os.path.relpath(path, self._home) for path in changed]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        aside = self._aside.folder
        place = os.path.relpath(aside, self._home)
        kept = f"; what stood there is in {place}" if aside.is_dir() else ""
        listed = ", ".join(names[:3])
        self._say_once("changed", f"files are as they were at that moment: {listed}{more}{kept}")

    def _tell_of_refused_deeds(self, error: OSError) -> None:
        self._say_once(
            "deeds",
            f"the disk does not take the list of files and folders that the script makes "
            f"({error.strerror}). It is tried again with each snapshot; if the training is killed "
            "before that, the next attempt may fail on what this one has made",
        )

    def _say_once(self, key: str, text: str) -> None:
        if key not in self._said:
            self._said.add(key)
            self._session.note("files", text)

    def _collect_needed_digests(self) -> Iterator[str]:
        """The digests that any snapshot names."""
        yield from chain(*self._recent)
        for path in filter(Path.is_file, self._session.folder.snapshots.rglob("*.snapshot")):
            with contextlib.suppress(UnusableSnapshot, AttributeError, TypeError, IndexError):
                files = read_heading(path).document.get("files", {})
                yield from (entry[1] for entry in files.get("files", {}).values())


def _highest(folders: set[str]) -> list[str]:
    """Those that lie in no other of them."""
    found: list[str] = []
    for folder in sorted(folders):
        if not found or not folder.startswith(f"{found[-1]}/"):
            found.append(folder)
    return found


_current: World | None = None


def fit_begins() -> None:
    """Before each `fit`; what is written from the first one on may have to be put back."""
    if _current is not None:
        _current.fit_begins()


def read_files(callbacks: Iterable[Any] = ()) -> Document:
    """What goes into the document of a snapshot under `files`."""
    return _current.read(callbacks) if _current is not None else {}


def flush_files() -> None:
    """Before a snapshot is written: have on the disk what its document relies on.

    Raises:
        OSError: where the disk fails.
    """
    if _current is not None:
        _current.flush()


def write_files(document: Document) -> list[str]:
    """Put back what `read_files` gave; sentences on what is not as it was."""
    return _current.write(document) if _current is not None else []


@contextlib.contextmanager
def watching(session: Session) -> Iterator[World]:
    """Look after the files of the script inside."""
    global _current
    world = World(session)
    world.begin()
    session.remedy = world.remedy
    _current = world
    with replaying(world):
        watch(world)
        try:
            yield world
        finally:
            watch(None)
            _current = None
            world.close()
