"""One worker of a gang in the test process, and what its guard sees."""

from pathlib import Path
from typing import Any

import numpy as np
from guarded.attempts import session_in

from fitguard.keras.gang import Gang
from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.beats import Wish
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.gang import GangOrders, SavedPlace
from fitguard.schema.run import Place


def place_at(steps: int, fit: int) -> Place:
    return Place(fit=fit, step=steps, total_steps=steps)


class Worker:
    """One worker of two, with a clock of its own, and what its guard sees."""

    def __init__(
        self, folder: Path, number: int = 0, start: SavedPlace | None = None, *, begin: bool = True
    ) -> None:
        self.now = 100.0
        orders = GangOrders(round=1, worker=number, workers=2, start=start)
        self.session: Session = session_in(folder, gang=orders)
        self.guard = Heartbeat(self.session.folder.heartbeat)
        self.store = SnapshotStore(
            self.session.folder.snapshots, list_complete=lambda: self.gang.list_complete()
        )
        self.gang = Gang(orders, self.session, self.store, clock=lambda: self.now)
        if begin:
            self.gang.begin()

    def come_to(self, steps: int, fit: int = 1) -> Wish:
        """Be between two steps: what is to be done there."""
        return self.gang.read_wish(place_at(steps, fit))

    def find_due(self, *steps: int, fit: int = 1, wanted: bool = False) -> list[int]:
        """At which of these places snapshots are taken."""
        due = []
        for number in steps:
            self.come_to(number, fit)
            if self.gang.is_due(place_at(number, fit), wanted=wanted):
                due.append(number)
        return due

    def save(self, fit: int, steps: int = 0, *, end: bool = False) -> None:
        content = Content({"mark": [fit, steps, end]}, {"x": np.ones(9)})
        self.store.save(content, Place(fit=fit, total_steps=steps), end=end)

    def events(self, kind: type) -> list[Any]:
        return [event for event in self.session.events() if isinstance(event, kind)]
