"""Builds journals for tests: each event gets the next second."""

from typing import Any

from fitguard.schema.journal import (
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    FitBegan,
    Orders,
    RunStarted,
    SnapshotWritten,
)
from fitguard.schema.run import Place

EPOCH_STEPS = 10


def at(total_steps: int, fit: int = 1) -> Place:
    """After so many steps of a fit with ten steps an epoch."""
    epoch, step = divmod(total_steps, EPOCH_STEPS)
    return Place(fit=fit, epoch=epoch, step=step, total_steps=total_steps)


class JournalOf:
    """Events in the order in which they are told."""

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self.attempt = 0

    def tell(self, kind: type, /, **fields: Any) -> "JournalOf":
        self.events.append(kind(time=100.0 + len(self.events), attempt=self.attempt, **fields))
        return self

    def run(self, *, id: str = "r1", resumed: bool = False) -> "JournalOf":
        return self.tell(
            RunStarted, id=id, command=("train.py",), fitguard="0.1.0", resumed=resumed
        )

    def start(self, first: int | None = None, fit: int = 1, **orders: Any) -> "JournalOf":
        """One more attempt; with `first`, its fit goes on after so many steps."""
        self.attempt += 1
        self.tell(AttemptStarted, pid=7, orders=Orders(attempt=self.attempt, **orders))
        return self if first is None else self.fit(first, fit)

    def fit(self, first: int = 0, fit: int = 1, **fields: Any) -> "JournalOf":
        told = {"library": "keras", "batch_size": 64, "steps_per_epoch": EPOCH_STEPS} | fields
        return self.tell(FitBegan, place=at(first, fit), **told)

    def save(self, total_steps: int, fit: int = 1) -> "JournalOf":
        return self.tell(
            SnapshotWritten,
            place=at(total_steps, fit),
            bytes=1000,
            taking_seconds=0.25,
            writing_seconds=0.5,
        )

    def end(self, outcome: str, last: int = 0, fit: int = 1, **fields: Any) -> "JournalOf":
        place = at(last, fit) if last else Place()
        return self.tell(AttemptEnded, outcome=outcome, last=place, **fields)
