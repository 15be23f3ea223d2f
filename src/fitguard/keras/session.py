"""What the training process knows of the run that guards it."""

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from fitguard.monitor.heartbeat import OwnHeartbeat
from fitguard.monitor.journal import Journal, now
from fitguard.monitor.lease_files import is_superseded
from fitguard.monitor.regular_files import UNDECODABLE, read_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import ExitCode, UnreadableInput
from fitguard.schema.journal import AnyEvent, Failed, FailureKind, Noted, NoteKind, Orders
from fitguard.words import cut_middle

_MOST_CHARACTERS = 2000
_TOLD = "_fitguard_told"


class Session:
    """One attempt of a run, seen from inside.

    Args:
        folder: Of the run.
        orders: What the parent wants of this attempt.
        heartbeat: Shared with the parent.

    Attributes:
        home: The folder where the training was started.
        remedy: What to change in the script, for an error that will come again; else nothing.
    """

    def __init__(self, folder: RunFolder, orders: Orders, heartbeat: OwnHeartbeat) -> None:
        self.folder = folder
        self.orders = orders
        self.heartbeat = heartbeat
        self.home = str(Path.cwd())
        self._journal = Journal(folder.journal)
        # What an earlier attempt has said need not be said again.
        self._said = {event.text for event in self.events() if isinstance(event, Noted)}
        self.remedy: Callable[[BaseException], str] = lambda _: ""
        self._lock = threading.Lock()
        self._process = os.getpid()

    @classmethod
    def of(cls, folder: RunFolder) -> "Session":
        """The session whose orders the parent has left in a folder.

        Raises:
            UnreadableInput: where they are missing or broken.
        """
        try:
            orders = msgspec.json.decode(read_regular(folder.orders), type=Orders)
            return cls(folder, orders, OwnHeartbeat(folder.heartbeat))
        except (OSError, *UNDECODABLE) as error:
            raise UnreadableInput(
                f"{folder.orders}: {error}. Expected the orders that `fitguard run` writes before "
                "it starts a training process."
            ) from error

    @property
    def is_here(self) -> bool:
        """Whether this is the process that is guarded, and not one that it forked."""
        return os.getpid() == self._process

    def record(self, event_type: type, /, *, durable: bool = False, **fields: Any) -> None:
        """Write an event into the journal; what a forked process does is no event of the run."""
        if not self.is_here:
            return
        self.require_lease()
        event: AnyEvent = event_type(time=now(), attempt=self.orders.attempt, **fields)
        self._journal.append(event, durable=durable)

    def require_lease(self) -> None:
        """Before something is written: leave at once where another host goes on with the run."""
        number = self.orders.lease
        if number and is_superseded(self.folder.path, number):
            self.say(
                f"another process goes on with the run {self.folder.id}. The training here stops, "
                "and writes nothing more"
            )
            # Nothing that is registered for the end may run: it would write.
            os._exit(ExitCode.FITGUARD_FAILED)

    def record_failure(
        self, error: BaseException, *, kind: FailureKind, durable: bool = False, **fields: Any
    ) -> None:
        """Write an error into the journal; once, by the first who knows of it."""
        if not getattr(error, _TOLD, False):
            known = {"error": _format_error(error), "remedy": self.remedy(error)}
            self.record(Failed, durable=durable, kind=kind, **known, **fields)
            with contextlib.suppress(AttributeError):
                setattr(error, _TOLD, True)

    def events(self) -> list[AnyEvent]:
        """All that the journal of the run holds."""
        return self._journal.read()

    def note(self, kind: NoteKind, text: str, *, fit: int = 0) -> None:
        """Tell the user once, and the journal."""
        with self._lock:
            if text in self._said:
                return
            self._said.add(text)
        self.record(Noted, kind=kind, text=text, fit=fit)
        self.say(text)

    def say(self, text: str) -> None:
        """One line on stderr."""
        print(f"fitguard: {text}", file=sys.stderr, flush=True)  # noqa: T201


def _format_error(error: BaseException) -> str:
    """The kind of an error and what it says, without its middle where that is long."""
    return cut_middle(f"{type(error).__name__}: {error}", _MOST_CHARACTERS)
