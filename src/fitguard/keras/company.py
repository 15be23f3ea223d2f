"""Whom a training has to keep step with: nobody, unless it is that of a worker of a gang."""

from collections.abc import Callable, Sequence
from typing import Any

from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.beats import Wish
from fitguard.schema.gang import SavedPlace
from fitguard.schema.journal import INEXACT
from fitguard.schema.run import Place


class Company:
    """That of a training which is alone. `Gang` is that of a worker.

    It is the counterpart of `supervise/company.py` in the training process.

    begin                      before the script runs
        call_begins            a `fit`, or a loop of the user's own
        find_saved, reject     what it goes on from
            read_wish, is_due  between two steps
            may_leave          with the snapshot of such a place
        is_leaving, keeps_end  behind the last one
        call_ends

    Args:
        wait: Until all snapshots are on the disk.

    Attributes:
        may_retry: Whether this process may take a step again that did not fit into memory.
        needs_ends: Whether the end of a call is kept whatever time that costs.
    """

    may_retry = True
    needs_ends = False

    def __init__(
        self, session: Session, store: SnapshotStore, wait: Callable[[], object] = lambda: None
    ) -> None:
        self._session = session
        self._store = store
        self._wait = wait

    def begin(self) -> None:
        """Before the script runs."""

    def list_complete(self) -> Sequence[SavedPlace] | None:
        """The newest places of which all have a snapshot; None where there is nobody else."""
        return None

    def call_begins(self, fit: int) -> None:
        """A `fit`, or a loop of the user's own, begins."""

    def call_ends(self, fit: int) -> None:
        """It has come to its end, now or in an earlier attempt."""

    def note_unguarded(self) -> None:
        """A `fit` is left alone."""

    def find_saved(self, fit: int, find_misfit: Callable[[Content], str]) -> Content | None:
        """The furthest snapshot of a training; those of another are set aside.

        Args:
            find_misfit: Says why one belongs to another; empty where it does not.
        """
        while (saved := self._store.newest(fit)) is not None:
            why_not = find_misfit(saved)
            if not why_not:
                return saved
            self.reject(saved, why_not)
        return None

    def reject(self, content: Content, why: str) -> None:
        """Set the snapshots of a `fit`, and of those after it, aside: they are of another model."""
        fit: int = content.document["place"]["fit"]
        kept = self._store.set_aside(fit, later=not content.document.get("several"))
        self._session.note(
            INEXACT,
            f"the snapshot of fit call {fit} does not fit this training: {why} It is kept in "
            f"{kept}, and used again when the script that wrote it resumes this run. Does the "
            "script build its model the same way each time?",
            fit=fit,
        )

    def describe(self) -> dict[str, Any]:
        """What a snapshot says of those that trained."""
        return {}

    def describe_resized(
        self,
        content: Content,  # noqa: ARG002
        *,
        batch_size: int | None = None,  # noqa: ARG002
        steps_per_epoch: int | None = None,  # noqa: ARG002
    ) -> list[str]:
        """Why it is not exact to go on from a snapshot of more workers, or of fewer.

        Args:
            batch_size: Of the data here; None where they do not tell, as `steps_per_epoch`.
        """
        return []

    def read_wish(self, place: Place) -> Wish:  # noqa: ARG002
        """What is to be done between these two steps."""
        return self._session.heartbeat.read_wish()

    def is_due(self, place: Place, *, wanted: bool) -> bool:  # noqa: ARG002
        """Whether to take a snapshot here.

        Args:
            wanted: It is time for one.
        """
        return wanted

    def may_leave(self, place: Place) -> bool:  # noqa: ARG002
        """Whether to leave between two steps, now that the snapshot is on the disk."""
        return True

    def is_leaving(self, fit: int) -> bool:  # noqa: ARG002
        """Whether to leave at the end of a call."""
        return self._session.heartbeat.read_wish() == "leave"

    def keeps_end(self, fit: int, *, wanted: bool = True) -> bool:  # noqa: ARG002
        """Whether to keep the end of a call.

        Args:
            wanted: It is worth the disk.
        """
        return wanted
