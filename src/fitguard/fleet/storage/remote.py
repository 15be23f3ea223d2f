"""Storage that no node sees as a folder: runs train on the disk of their node, and are copied."""

import contextlib
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from fitguard.fleet.records import RunRecord
from fitguard.fleet.storage.bucket import (
    Bucket,
    StorageAway,
    describe_failure,
    require_url,
)
from fitguard.fleet.storage.catalog import Catalog
from fitguard.fleet.storage.manifest import WrongManifest
from fitguard.fleet.storage.mirroring import LOOK_SECONDS, Mirror, MirrorThread
from fitguard.fleet.storage.node_folder import NodeFolder
from fitguard.fleet.storage.opening import MARKER, AskedToLeave, Heard, Keeping, NodeUnfit
from fitguard.fleet.storage.pausing import grow_pauses
from fitguard.fleet.storage.pulling import Claimed, Pull
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.fleet import FleetJob

_READERS = 16
_TRIES = 5
"""To bring a run to a node of which the disk does not take it."""
_LAST_SECONDS = 600.0
"""For the last copy of a training that has ended."""
_ASKED_SECONDS = 60.0
"""The same after it was asked to leave."""


def require_usable(url: str, jobs: Sequence[FleetJob]) -> None:
    """Refuse what cannot be the storage of these jobs, before anything starts.

    Raises:
        UsageError: where it cannot.
    """
    require_url(url)
    gang = next((job for job in jobs if job.workers > 1), None)
    if gang is not None:
        raise UsageError(
            f"Received --storage {url} and the job {gang.name} with {gang.workers} workers. "
            "Expected a folder that all nodes share: the workers of a gang meet in it"
        )


class RemoteStorage:
    """What fsspec reaches under an address.

    Raises:
        NodeLacks: where this machine lacks a package for it.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._bucket = Bucket(url)

    def mark(self) -> str:
        name = f"{MARKER}{secrets.token_hex(8)}"
        try:
            self._bucket.write(name, b"fleet")
        except StorageAway as error:
            raise UsageError(
                f"Received --storage {self._url}: {error} (on {socket.gethostname()}). Expected "
                "one that all nodes can write to"
            ) from error
        return name

    def unmark(self, marker: str) -> None:
        with contextlib.suppress(StorageAway):
            self._bucket.remove(marker)

    def count_seen(self) -> int:
        return 0  # an address means the same on all nodes

    def is_here(self, marker: str) -> bool:  # noqa: ARG002
        return True  # what is away is waited for, and nothing is begun anew meanwhile

    def find_problem(self, marker: str) -> str:
        own = f"{marker}-{secrets.token_hex(4)}"
        try:
            self._bucket.read(marker, 1)
            self._bucket.write(own, b"fleet")
            self._bucket.remove(own)
        except FileNotFoundError:
            return f"it does not see {self._url} as the other nodes do"
        except StorageAway as error:
            return f"it cannot write to {self._url} and remove what it wrote: {error}"
        return NodeFolder(self._url).find_problem()

    def read_records(self, runs: Sequence[str]) -> dict[str, RunRecord]:
        with ThreadPoolExecutor(_READERS) as pool:
            return dict(zip(runs, pool.map(self._read_record, runs), strict=True))

    def keep(self, run: str, *, is_asked: Callable[[], bool], leave: Callable[[], None]) -> Keeping:
        return Mirrored(self._url, self._bucket, run, is_asked, leave)

    def _read_record(self, run: str) -> RunRecord:
        catalog = Catalog(self._bucket, run)
        wrong = ""
        try:
            for number, size_bytes in sorted(catalog.list_numbers().items(), reverse=True):
                try:
                    return catalog.read_one(number, size_bytes).record
                except WrongManifest as error:
                    wrong = wrong or f"the copy {number} in the storage: {error}"
        except (StorageAway, FileNotFoundError, UnreadableInput) as error:
            return RunRecord(run=run, why=str(error))
        return RunRecord(run=run, why=wrong)


class Mirrored:
    """A run that trains on this node and is copied into the storage."""

    def __init__(
        self,
        url: str,
        bucket: Bucket,
        run: str,
        is_asked: Callable[[], bool],
        leave: Callable[[], None],
    ) -> None:
        self._url = url
        self._bucket = bucket
        self._run = run
        self._is_asked = is_asked
        self._leave = leave
        self._node = NodeFolder(url)
        self._thread: MirrorThread | None = None
        self._waits_for = ""
        self._notes: list[str] = []
        self.runs_folder = self._node.runs

    @property
    def lost(self) -> str:
        return self._thread.lost if self._thread is not None else ""

    def begin(self) -> None:
        if problem := self._node.find_problem():
            raise NodeUnfit(f"it cannot train on {socket.gethostname()}: {problem}")
        claimed = self._claim()
        mirror = Mirror(self._bucket, self._node, self._run, claimed, self._notes.append)
        self._thread = MirrorThread(mirror, self._node, self._run, self._url, self._leave)
        self._thread.start()

    def finish(self) -> str:
        assert self._thread is not None
        return self._thread.finish(_LAST_SECONDS, self._is_asked, _ASKED_SECONDS)

    def listen(self) -> Heard:
        # The list stays the same: others add to it, also in the middle of this.
        notes = tuple(self._notes)
        del self._notes[: len(notes)]
        trouble = self._thread.trouble if self._thread is not None else self._waits_for
        return Heard(trouble=trouble, notes=notes)

    def _claim(self) -> Claimed:
        """The run as the storage has it; a storage that is away is waited for."""
        pull = Pull(
            self._bucket,
            self._node,
            self._run,
            secrets.token_hex(4),
            tell=self._notes.append,
            check=self._check,
        )
        pauses, refusals = grow_pauses(), 0
        while True:
            self._check()
            try:
                claimed = pull.claim()
            except (StorageAway, FileNotFoundError) as error:
                self._waits_for = f"it waits for {self._url}: {error}"
            except OSError as error:
                said = f"{describe_failure(error)} (on {socket.gethostname()})"
                self._waits_for = f"it cannot be copied from {self._url}: {said}"
                refusals += 1
                if refusals == _TRIES:
                    raise NodeUnfit(self._waits_for) from error
            else:
                self._waits_for = ""
                return claimed
            self._wait(next(pauses))

    def _wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._check()
            time.sleep(LOOK_SECONDS)

    def _check(self) -> None:
        if self._is_asked():
            raise AskedToLeave
