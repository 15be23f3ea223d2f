"""Stands where a `Session` would, in a training that nobody guards."""

import sys
from typing import Any

from fitguard.schema.journal import AnyEvent, NoteKind, Orders


class LoneSession:
    """Tells the user what is done, and nobody else: there is no journal, and no parent.

    Attributes:
        orders: None but the usual ones.
    """

    def __init__(self) -> None:
        self.orders = Orders(plan=False)
        self.heartbeat = _NoHeartbeat()
        self._said: set[str] = set()

    def events(self) -> list[AnyEvent]:
        """None: nothing was written."""
        return []

    def record(self, event_type: type, /, *, durable: bool = False, **fields: Any) -> None:
        """There is nothing to write into."""

    def record_failure(
        self, error: BaseException, *, kind: str, durable: bool = False, **fields: Any
    ) -> None:
        """Python tells of it."""

    def note(self, kind: NoteKind, text: str, *, fit: int = 0) -> None:  # noqa: ARG002
        """Tell the user once."""
        if text not in self._said:
            self._said.add(text)
            self.say(text)

    def say(self, text: str) -> None:
        """One line on stderr."""
        print(f"fitguard: {text}", file=sys.stderr, flush=True)  # noqa: T201


class _NoHeartbeat:
    def note_alive(self) -> None:
        """Nobody listens."""
