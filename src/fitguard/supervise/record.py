"""What the parent writes down: events, the document made of them, orders."""

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from fitguard.monitor.folding import fold
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.regular_files import UNDECODABLE, read_regular, replace_file
from fitguard.monitor.run_folder import RunFolder
from fitguard.monitor.samples import read_samples
from fitguard.schema.journal import AnyEvent, Decided, Orders
from fitguard.schema.run import Run

if TYPE_CHECKING:
    from fitguard.supervise.deciding import Next


class Record:
    """The record of one run.

    Args:
        folder: Of the run.
        warn: Called once, where it cannot be written: the training goes on without.
        require_lease: Called before anything is written; it raises where another has the run.
    """

    def __init__(
        self, folder: RunFolder, warn: Callable[[str], None], require_lease: Callable[[], None]
    ) -> None:
        self.folder = folder
        self._journal = Journal(folder.journal)
        self._warn = warn
        self._require_lease = require_lease
        self._warned = False
        self._own: list[AnyEvent] = []
        self._unwritten: list[AnyEvent] = []
        self._listeners: list[Callable[[AnyEvent], None]] = []

    def listen(self, listener: Callable[[AnyEvent], None]) -> None:
        """Call it with each event that is added, also where the disk does not take it."""
        self._listeners.append(listener)

    def add(self, event: AnyEvent) -> None:
        """Write an event, and the document anew."""
        self._require_lease()
        self._own.append(event)
        self._unwritten.append(event)
        if not self._write():
            self._cannot("the journal cannot be written")
        self.document()
        for listener in self._listeners:
            listener(event)

    def _write(self) -> bool:
        """Write what the journal does not hold yet: the disk may be well again."""
        while self._unwritten:
            if not self._journal.append(self._unwritten[0], durable=True):
                # It may be there all the same, where only `fsync` has failed.
                known = self._read()
                self._unwritten = [event for event in self._unwritten if event not in known]
                return False
            self._unwritten.pop(0)
        return True

    def events(self) -> list[AnyEvent]:
        """All events so far, the child's too, and those that could not be written.

        Where the journal is gone, those of the parent.
        """
        read = self._read()
        return [*read, *self._unwritten] if read else list(self._own)

    def _read(self) -> list[AnyEvent]:
        with contextlib.suppress(OSError):
            return self._journal.read()
        return []

    def document(self, *, alive: bool = True) -> Run:
        """The document, as it is now on disk."""
        folder = self.folder
        samples = read_samples(folder.flight_records)
        run = fold(self.events(), samples, folder=str(folder.path), alive=alive)
        try:
            replace_file(folder.document, msgspec.json.encode(run))
        except OSError as error:
            self._cannot(f"{folder.document.name} cannot be written: {error.strerror}")
        return run

    def order(self, orders: Orders) -> None:
        """Leave orders for the next child.

        Raises:
            OSError: where that cannot be done: then no child can be started.
        """
        self._require_lease()
        replace_file(self.folder.orders, msgspec.json.encode(orders))

    def last_orders(self) -> Orders | None:
        """Those of the attempt before; None where they are lost."""
        with contextlib.suppress(OSError, *UNDECODABLE):
            return msgspec.json.decode(read_regular(self.folder.orders), type=Orders)
        return None

    def _cannot(self, problem: str) -> None:
        if not self._warned:
            self._warned = True
            self._warn(f"{self.folder.path}: {problem}. The training goes on without it.")


def build_decision(attempt: int, following: "Next") -> Decided:
    """What was decided after an attempt, for the journal."""
    return Decided(
        time=now(),
        attempt=attempt,
        action=following.action,
        cause=following.cause,
        text=following.text,
        changes_results=following.changes_results,
    )
