"""What the training process of one worker does differently when several train together.

All workers must take the same steps, or they wait for each other without end. So they go on from
one place, which their guards have agreed on, and take snapshots at places that all were told before
they got there:

    first worker: one is due       ->  asks its guard for a call
    guards: a step that is ahead   ->  call, into the heartbeat of each worker
    each worker, at that step      ->  takes its snapshot; with `leave`, ends once all have theirs
"""

import math
import time
from collections.abc import Callable
from typing import Any, NoReturn

from fitguard.keras.company import Company
from fitguard.keras.fitting.step import leave
from fitguard.keras.leaving_together import may_leave
from fitguard.keras.session import Session
from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.store import SnapshotStore
from fitguard.monitor.beats import Call, Wish
from fitguard.schema.gang import GangOrders, SavedPlace
from fitguard.schema.journal import LOST_START, REPLACE_ME, UNGUARDED, Failed
from fitguard.schema.run import Place

_ASK_AGAIN_SECONDS = 5.0
_MANY_INCOMPLETE = 4
_SELDOM_SECONDS = 60.0
"""Between two calls where the other workers do not save what they were called for."""


class Gang(Company):
    """That of a worker.

    Args:
        orders: Which worker this is, and where all go on.
        clock: Seconds that never go back.
    """

    may_retry = False  # the others have failed in this step as well
    needs_ends = True  # who trains a call again that another has ended waits for it without end

    def __init__(
        self,
        orders: GangOrders,
        session: Session,
        store: SnapshotStore,
        wait: Callable[[], object] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(session, store, wait)
        self._orders = orders
        self._clock = clock
        self._steps: dict[int, tuple[int, int]] = {}
        self._unended: set[int] = set()
        self._asked_after: Call | None = None
        self._ask_again_at = -math.inf
        self._seldom_until = -math.inf
        self._complete = [orders.start] if orders.start is not None else []

    def begin(self) -> None:
        """Leave only what all workers go on from."""
        start = self._orders.start
        lacking = self._store.find_lacking(start) if start is not None else None
        if lacking is not None:
            self._lose_start(lacking, f"{_describe(lacking)} is not there.")
        self._store.go_back_to(start)

    def list_complete(self) -> list[SavedPlace]:
        """The two newest places of which all workers have a snapshot, the newest first."""
        told = self._session.heartbeat.read_complete()
        if told is not None and told not in self._complete:
            self._complete = sorted([told, *self._complete], reverse=True)[:2]
        return self._complete

    def call_begins(self, fit: int) -> None:
        """Say so where it cannot be kept."""
        if self._unended:
            first = min(self._unended)
            self._session.note(
                UNGUARDED,
                f"training {fit} begins, and training {first} has not come to its end. Several "
                f"workers go on together only from snapshots of one training at a time: after a "
                f"restart, they go on inside of training {first}, and do all that follows again. "
                "Behind a loop with a Guard, call guard.finish(steps). Do not train in several "
                "threads",
                fit=fit,
            )
        self._unended.add(fit)

    def call_ends(self, fit: int) -> None:
        self._unended.discard(fit)

    def note_unguarded(self) -> None:
        self._session.note(
            UNGUARDED,
            "this fit call is not guarded. When one of the workers ends, all of them train it "
            "again from its beginning",
        )

    def find_saved(self, fit: int, find_misfit: Callable[[Content], str]) -> Content | None:
        """Exactly what was agreed on, or nothing."""
        place = self._find_agreed(fit)
        if place is None:
            return None
        saved = self._store.read_at(place)
        why_not = find_misfit(saved) if saved is not None else f"{_describe(place)} is not whole."
        if saved is None or why_not:
            self._lose_start(place, why_not)
        elif self._read_size(saved) != self._orders.size:
            # For the script this may be another worker now: what it says of itself counts. And it
            # reads another part of each batch.
            saved.document |= {"start": "", "next_batch": ""}
        return saved

    def reject(self, content: Content, why: str) -> NoReturn:
        """All workers agree on another start."""
        fit: int = content.document["place"]["fit"]
        self._lose_start(self._find_agreed(fit) or SavedPlace(fit), why)

    def _find_agreed(self, fit: int) -> SavedPlace | None:
        start = self._orders.start
        if start is None or fit > start.fit:
            return None
        return start if fit == start.fit else SavedPlace(fit, end=True)

    def _lose_start(self, place: SavedPlace, why: str) -> NoReturn:
        """End, so that all workers agree on another start; without this place it is older."""
        kept = self._store.put_aside(lambda saved: saved >= place)
        text = (
            f"worker {self._orders.worker} cannot go on from the snapshot that all workers have: "
            f"{why} " + (f"It was moved to {kept}. " if kept is not None else "")
        )
        self._session.say(f"{text}The workers go on from an older one")
        self._session.record(
            Failed,
            durable=True,
            kind=LOST_START,
            error=text.strip(),
            place=Place(fit=place.fit, step=place.steps, total_steps=place.steps),
        )
        leave(REPLACE_ME)

    def describe(self) -> dict[str, Any]:
        return {"workers": self._orders.size}

    def _read_size(self, content: Content) -> int:
        """How many workers trained up to a snapshot."""
        size: int = content.document.get("workers", self._orders.size)
        return size

    def describe_resized(
        self,
        content: Content,
        *,
        batch_size: int | None = None,
        steps_per_epoch: int | None = None,
    ) -> list[str]:
        document, size, here = content.document, self._read_size(content), self._orders.size
        if size == here:
            return []
        notes = [
            f"{size} workers trained up to here, and {here} go on. Each has another part of "
            "each batch now, so sums, random layers and the statistics of BatchNormalization "
            "differ. Metrics of this epoch lack what the missing workers have counted. If the "
            "data are split among the workers by files, or not at all, rows of this epoch are "
            "trained twice or left out"
        ]
        for name, was, now in (
            ("the batch size", document.get("batch_size"), batch_size),
            ("the number of steps in an epoch", document.get("steps_per_epoch"), steps_per_epoch),
        ):
            if was and now and was != now:
                notes.append(
                    f"{name} changed with the number of workers: it was {was} and is {now}. The "
                    "training goes on after as many steps as before, so rows of this epoch are "
                    "trained twice or not at all. In your script, do not compute the global batch "
                    "from the number of workers, and let TensorFlow split the data"
                )
        return notes

    def read_wish(self, place: Place) -> Wish:
        """To leave, or nothing: a wish for a snapshot becomes a question to all."""
        self._arrive(place)
        wish, call = super().read_wish(place), self._find_call(place)
        if wish == "leave" or (call is not None and call.leave):
            return "leave"
        if wish == "snapshot":
            self._ask(place)
        return "none"

    def _arrive(self, place: Place) -> None:
        here, before = self._steps.get(place.fit, (place.total_steps, place.total_steps))
        if place.total_steps != here:
            here, before = place.total_steps, here
        self._steps[place.fit] = (here, before)

    def is_due(self, place: Place, *, wanted: bool) -> bool:
        """Whether all workers take one; only the first asks for it: one clock decides."""
        if wanted and self._orders.is_first:
            self._ask(place)
        if self._find_call(place) is None:
            return False
        if not self._keeps(place.fit):
            self._session.note(
                UNGUARDED,
                f"no snapshots of training {place.fit} are taken: the end of a training before it "
                "is not on the disk, and without it the workers cannot go on together",
                fit=place.fit,
            )
            return False
        if self._session.heartbeat.read_wish() == "snapshot":
            self._session.heartbeat.wish("none")
        return True

    def may_leave(self, place: Place) -> bool:
        """Once all have a snapshot of this place; where only this one was asked to go, at once."""
        if self._find_call(place) is None:
            return True
        saved = SavedPlace(place.fit, place.total_steps)
        return may_leave(self._session.heartbeat, saved, self._clock)

    def is_leaving(self, fit: int) -> bool:
        """Also where all leave at a step that this training does not have."""
        call = self._session.heartbeat.read_call()
        here, _ = self._steps.get(fit, (0, 0))
        if call is not None and call.leave and call.place.fit == fit and call.place.steps > here:
            return True
        return super().is_leaving(fit)

    def keeps_end(self, fit: int, *, wanted: bool = True) -> bool:  # noqa: ARG002
        """Every end is needed, unless one before it is lacking."""
        self._wait()
        return self._keeps(fit)

    def _keeps(self, fit: int) -> bool:
        """Whether snapshots of it can be gone on from: all trainings before it have a kept end."""
        lacking = self._store.find_lacking(SavedPlace(fit))
        return lacking is None or lacking.fit == fit

    def _find_call(self, place: Place) -> Call | None:
        """The call for this place: the first one behind the step that it names.

        Where Keras takes several steps at once, it may step over it; all workers do.
        """
        call = self._session.heartbeat.read_call()
        here, before = self._steps.get(place.fit, (0, 0))
        if call is None or call.place.fit != place.fit or not before < call.place.steps <= here:
            return None
        return call

    def _ask(self, place: Place) -> None:
        """Ask for a call, unless one is ahead; again only when it was answered, or not for long."""
        call, now = self._session.heartbeat.read_call(), self._clock()
        if call is not None and call.place > SavedPlace(place.fit, place.total_steps):
            return
        if now < (self._ask_again_at if call == self._asked_after else self._seldom_until):
            return
        self._asked_after = call
        self._ask_again_at = now + _ASK_AGAIN_SECONDS
        self._seldom_until = now + _SELDOM_SECONDS if self._is_behind() else now
        self._session.heartbeat.ask_call()

    def _is_behind(self) -> bool:
        """Whether other workers lack much of what is here: it stays, and fills the disk."""
        complete = max(self.list_complete(), default=None)
        places = self._store.list_places()
        more = [place for place in places if complete is None or place > complete]
        if len(more) < _MANY_INCOMPLETE:
            return False
        self._session.note(
            "snapshot",
            f"other workers have not saved the last {_MANY_INCOMPLETE} snapshots that all were to "
            "take. Until they do, a restart goes back to "
            f"{_describe(complete) if complete is not None else 'the beginning'}, and snapshots "
            "are taken less often. Look at the disks of the other workers",
        )
        return True


def _describe(place: SavedPlace) -> str:
    if place.end:
        return f"the end of fit call {place.fit}"
    return f"the snapshot of fit call {place.fit} at step {place.steps}"


def find_company(session: Session, store: SnapshotStore, wait: Callable[[], object]) -> Company:
    """Whom this training has to keep step with, as its orders say."""
    orders = session.orders.gang
    return Gang(orders, session, store, wait) if orders is not None else Company(session, store)
