"""Copies a run into the storage after each snapshot, in a thread: the training never waits for it.

a snapshot was written  ──> links to all that a resume needs
                        ──> contents that the storage does not have go there
                        ──> a manifest: from now on this copy counts
                        ──> what only older copies needed goes
the storage is away     ──> again, after growing pauses, with what there is then
another start has it    ──> the training here has to leave, and no copy is made any more
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence

from fitguard.fleet.records import read_record
from fitguard.fleet.storage.bucket import Bucket, StorageAway
from fitguard.fleet.storage.catalog import Catalog, InOtherHands
from fitguard.fleet.storage.content import Digests, add_what_is_beside
from fitguard.fleet.storage.manifest import (
    OBJECTS,
    Manifest,
    StoredFile,
    is_beside,
    list_kept,
)
from fitguard.fleet.storage.node_folder import NodeFolder
from fitguard.fleet.storage.pausing import grow_pauses
from fitguard.fleet.storage.pulling import Claimed
from fitguard.monitor.journal import Journal
from fitguard.schema.journal import SnapshotWritten
from fitguard.supervise.linked_copy import linking_run
from fitguard.words import one_line

LOOK_SECONDS = 0.5
_JOURNAL, _SNAPSHOTS = "journal.jsonl", "snapshots/"


class RunGone(Exception):
    """Somebody removes the run on this node: what is left of it must not count."""


class Mirror:
    """Copies of one run, for one start of its training.

    Args:
        claimed: What the storage has, and under which number this start has the run.
        tell: Told of what stays on this node.
    """

    def __init__(
        self,
        bucket: Bucket,
        node: NodeFolder,
        run: str,
        claimed: Claimed,
        tell: Callable[[str], None],
    ) -> None:
        self._bucket = bucket
        self._catalog = Catalog(bucket, run)
        self._node = node
        self._run = run
        self._number = claimed.number
        self._copies = claimed.copies
        self._present = claimed.present
        self._digests = Digests(tell)

    def copy(self, *, is_last: bool) -> None:
        """Have the run in the storage as it is now.

        Args:
            is_last: Nobody writes in it any more: what only tells of it comes, too.

        Raises:
            InOtherHands: where another start has the run.
            RunGone: where it was removed here.
            StorageAway: where the storage cannot be reached.
            OSError: where this node cannot read it.
        """
        self._catalog.require(self._number)
        folder = self._node.open_run(self._run)
        before = self._copies[max(self._copies)].files if self._copies else ()
        files: dict[str, StoredFile] = {}
        with linking_run(folder, self._node.copies / self._run) as copy:
            if is_last:
                add_what_is_beside(folder, copy)
            for path, file in self._digests.list_files(copy):
                if file.sha256 not in self._present:
                    self._bucket.upload(path, f"{self._run}/{OBJECTS}/{file.sha256}")
                    self._present.add(file.sha256)
                files[file.path] = file
        if not before and _JOURNAL not in files:
            return  # `fitguard run` refused to start it
        _require_whole(before, files)
        beside = {file.path: file for file in before if is_beside(file.path)}
        self._publish(tuple((beside | files).values()))
        self._tidy()

    def _publish(self, files: tuple[StoredFile, ...]) -> None:
        number = self._number._replace(sequence=self._number.sequence + 1)
        manifest = Manifest(files=files, record=read_record(self._node.runs, self._run))
        self._catalog.write(number, manifest)
        self._number = number
        self._copies[number] = manifest
        self._node.set_base(self._run, number)

    def _tidy(self) -> None:
        """Remove what only older copies needed, while nobody else has the run."""
        there = self._catalog.require(self._number)
        kept = list_kept(self._copies)
        for number in there:
            if number < min(kept):
                self._catalog.remove(number)
        self._copies = {number: self._copies[number] for number in kept}
        needed = frozenset[str]().union(*(one.digests for one in self._copies.values()))
        for digest in self._present - needed:
            self._catalog.remove_object(digest)
        self._present &= needed


def _require_whole(before: Sequence[StoredFile], files: Mapping[str, StoredFile]) -> None:
    had_snapshots = any(file.path.startswith(_SNAPSHOTS) for file in before)
    has_snapshots = any(path.startswith(_SNAPSHOTS) for path in files)
    if _JOURNAL not in files or (had_snapshots and not has_snapshots):
        raise RunGone("its folder on this node was removed")


class MirrorThread(threading.Thread):
    """Watches the journal of a run, and copies.

    Args:
        where: How the storage is called.
        on_lost: Called once where another start has the run.

    Attributes:
        trouble: Why the newest snapshot is not in the storage; empty while all is well.
        lost: Likewise, where it never will be.
    """

    def __init__(
        self, mirror: Mirror, node: NodeFolder, run: str, where: str, on_lost: Callable[[], None]
    ) -> None:
        super().__init__(name="fitguard-mirror", daemon=True)
        self.trouble = ""
        self.lost = ""
        self._mirror = mirror
        self._where = where
        self._on_lost = on_lost
        journal = node.open_run(run).journal
        self._journal = Journal(journal)
        self._read_up_to = self._journal.size
        # What an earlier start has left here may be further on than the storage.
        self._is_due = journal.is_file()
        self._ended = threading.Event()
        self._abandoned = threading.Event()

    def finish(self, seconds: float, is_asked: Callable[[], bool], asked_seconds: float) -> str:
        """Let the last copy arrive; why it has not, else nothing.

        Args:
            seconds: The longest that this may take.
            asked_seconds: The same from when the training was asked to leave.
        """
        self._ended.set()
        until = time.monotonic() + seconds
        asked_since: float | None = None
        while self.is_alive() and time.monotonic() < until:
            self.join(LOOK_SECONDS)
            if asked_since is None and is_asked():
                asked_since = time.monotonic()
                until = min(until, asked_since + asked_seconds)
        self._abandoned.set()
        if self.is_alive() and not self.trouble:
            return f"its last snapshot has not reached {self._where} in time"
        return self.lost or self.trouble

    def run(self) -> None:
        pauses = grow_pauses()
        while not self.lost and not self._abandoned.is_set():
            is_last = self._ended.wait(LOOK_SECONDS)
            if not (self._look() or is_last):
                continue
            if not self._try(is_last=is_last):
                # The end of the training is a reason to try at once.
                (self._abandoned if is_last else self._ended).wait(next(pauses))
            elif is_last:
                return
            else:
                pauses = grow_pauses()

    def _look(self) -> bool:
        """Whether there is something that the storage does not have."""
        events, self._read_up_to = self._journal.read_since(self._read_up_to)
        self._is_due = self._is_due or any(isinstance(one, SnapshotWritten) for one in events)
        return self._is_due

    def _try(self, *, is_last: bool) -> bool:
        try:
            self._mirror.copy(is_last=is_last)
        except InOtherHands as error:
            self.lost = f"{error}; what was trained here since is only on this node"
            self._on_lost()
        except RunGone as error:
            self.lost = f"{error}; it goes on from the last copy in {self._where}"
            self._on_lost()
        except StorageAway as error:
            self.trouble = f"its snapshots do not reach {self._where}: {error}"
        except Exception as error:  # whatever it is, the training goes on
            said = one_line(f"{type(error).__name__}: {error}")
            self.trouble = f"its snapshots cannot be copied to {self._where}: {said}"
        else:
            self.trouble, self._is_due = "", False
            return True
        return False
