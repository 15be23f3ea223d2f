"""From what `--storage` says to what keeps the runs; what can be done with either kind."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from fitguard.fleet.records import RunRecord
from fitguard.schema.fleet import FleetJob
from fitguard.schema.run import Place

MARKER = ".fleet-"
"""How files begin by which nodes find out whether they see the same storage."""


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What is new of a run in the storage.

    Args:
        trouble: Why its snapshots do not reach the storage, or it cannot start; empty for nothing.
        notes: What the user should know, each told once.
        begins_from: How far its snapshots were when it began; None as long as that is not known.
    """

    trouble: str = ""
    notes: tuple[str, ...] = ()
    begins_from: Place | None = None


class MarkedStorage(msgspec.Struct, frozen=True):
    """The storage of a fleet.

    Args:
        name: A folder or an address.
        marker: Of something in it. A node that does not see that sees another storage.
    """

    name: str
    marker: str


class AskedToLeave(Exception):
    """While it was not even begun."""


class NodeUnfit(Exception):
    """This node cannot have the run; another one may."""


class Keeping(Protocol):
    """A run of the storage, for one start of its training on this node.

    Attributes:
        runs_folder: Where it trains.
    """

    runs_folder: Path

    @property
    def lost(self) -> str:
        """Why nothing of it is kept any more: another start has the run; empty for none."""

    def begin(self) -> None:
        """Have the run here, as far as it is.

        Raises:
            AskedToLeave: where it was asked to leave meanwhile.
            InOtherHands: where it trains elsewhere.
            NodeUnfit: where this node cannot have it.
            UnreadableInput: where what there is cannot be used.
        """

    def finish(self) -> str:
        """Let all of it reach the storage; why it has not, else nothing."""

    def listen(self) -> Heard:
        """What is new since the last time."""


class Storage(Protocol):
    """Where runs are kept. All of it happens on a node."""

    def mark(self) -> str:
        """Put something there that all nodes should see; its name.

        Raises:
            UsageError: where that cannot be done.
        """

    def unmark(self, marker: str) -> None:
        """Take it away again."""

    def count_seen(self) -> int:
        """How much of it this node sees, before anything is made; only good for comparing.

        Raises:
            OSError: where it cannot be looked at.
        """

    def is_here(self, marker: str) -> bool:
        """Whether a run can begin now. A storage that is waited for says so."""

    def find_problem(self, marker: str) -> str:
        """Why this node cannot train with it; empty for nothing."""

    def read_records(self, runs: Sequence[str]) -> dict[str, RunRecord]:
        """How each of these runs stands."""

    def keep(self, run: str, *, is_asked: Callable[[], bool], leave: Callable[[], None]) -> Keeping:
        """A run that is about to start here.

        Args:
            is_asked: Whether it is to leave.
            leave: Lets the training leave.
        """


def is_remote(storage: str | Path) -> bool:
    """Whether it is an address, and no folder."""
    return "://" in str(storage)


def name_storage(storage: str | Path, jobs: Sequence[FleetJob]) -> str:
    """What nodes are told.

    Raises:
        UsageError: where it cannot be the storage of these jobs.
    """
    if not is_remote(storage):
        return str(Path(storage).expanduser().absolute())
    from fitguard.fleet.storage.remote import require_usable

    url = str(storage).rstrip("/")
    require_usable(url, jobs)
    return url


def find_storage_notes(storage: str) -> tuple[str, ...]:
    """What is to be said before anything starts: a folder has leases, an address has none."""
    if not is_remote(storage):
        return ()
    return (
        f"Nothing keeps two fleets apart in {storage}: let no other one train runs of the same "
        "names there meanwhile.",
        f"Files beside a training are put back from there: who can write to {storage} can change "
        "files on the nodes. Expected that only you can.",
    )


def open_storage(storage: str) -> Storage:
    """The storage of this name.

    Raises:
        NodeLacks: where this machine lacks a package for it.
    """
    if is_remote(storage):
        from fitguard.fleet.storage.remote import RemoteStorage

        return RemoteStorage(storage)
    from fitguard.fleet.storage.shared_folder import SharedFolder

    return SharedFolder(Path(storage))
