"""All that the journal holds of one attempt, gathered from its events."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from fitguard.schema.journal import (
    UNGUARDED,
    AnyEvent,
    AttemptEnded,
    AttemptStarted,
    Decided,
    Failed,
    FitBegan,
    FitEnded,
    Logged,
    MicroBatchChosen,
    NoRoom,
    Noted,
    NotSplit,
    RecomputationChosen,
    SnapshotFailed,
    SnapshotWritten,
)
from fitguard.schema.run import Place


@dataclass
class Span:
    """The steps of one `fit` call that an attempt took: from `begun` up to `reached`."""

    begun: int
    reached: int

    def stretch(self, total_steps: int) -> None:
        """It got at least so far."""
        self.reached = max(self.reached, total_steps)


@dataclass
class AttemptEvents:
    """One attempt; any of its events may be missing.

    Args:
        first_time: Of its earliest event.
        spans: By number of the `fit` call; those whose end was restored are not among them.
        batch_sizes: By number of the `fit` call, the rows that each replica has of a batch.
        micro_batches: By number of the `fit` call, as the child chose them.
        shares: By number of the `fit` call, the share of memory that was asked for its step, or for
            its micro-batches; None where these are not recomputed.
        not_split: By number of the `fit` call, why its batch stayed whole.
        unguarded: Whether it said that something is not guarded.
        saved: The furthest place in a snapshot that this attempt began with, or wrote.
        fit_ends: Where its `fit` calls came to their end.
    """

    number: int
    first_time: float
    last_time: float
    started: AttemptStarted | None = None
    ended: AttemptEnded | None = None
    failed: Failed | None = None
    decided: Decided | None = None
    first: Place | None = None
    last: Place = field(default_factory=Place)
    saved: Place = field(default_factory=Place)
    fit_ends: set[Place] = field(default_factory=set)
    spans: dict[int, Span] = field(default_factory=dict)
    unguarded: bool = False
    batch_sizes: dict[int, int] = field(default_factory=dict)
    micro_batches: dict[int, int] = field(default_factory=dict)
    shares: dict[int, float | None] = field(default_factory=dict)
    not_split: dict[int, NotSplit] = field(default_factory=dict)
    no_room: str = ""

    @property
    def steps_done(self) -> int:
        """Steps of all its `fit` calls."""
        return sum(span.reached - span.begun for span in self.spans.values())

    def take(self, event: AnyEvent) -> None:
        """Add one event; in the order of the journal."""
        self.first_time = min(self.first_time, event.time)
        self.last_time = max(self.last_time, event.time)
        match event:
            case AttemptStarted():
                self.started = event
            case AttemptEnded():
                self.ended = event
                self._reach(event.last)
            case Failed():
                self.failed = event
                self._reach(event.place)
            case Decided():
                self.decided = event
            case NoRoom():
                self.no_room = event.text
            case FitBegan():
                self._begin(event)
            case MicroBatchChosen() | RecomputationChosen() | NotSplit():
                self._note_way(event)
            case Noted():
                self.unguarded = self.unguarded or event.kind == UNGUARDED
            case SnapshotWritten() | SnapshotFailed() | Logged() | FitEnded():
                self._pass(event)

    def _note_way(self, event: MicroBatchChosen | RecomputationChosen | NotSplit) -> None:
        """How the steps of a `fit` are taken."""
        match event:
            case MicroBatchChosen(evaluation=False):
                self.micro_batches[event.fit] = event.rows
                self.not_split.pop(event.fit, None)
                self.shares[event.fit] = event.share
            case RecomputationChosen():
                self.shares[event.fit] = event.wanted
            case NotSplit():
                self.not_split[event.fit] = event

    def _begin(self, event: FitBegan) -> None:
        place = event.place
        if event.batch_size:
            self.batch_sizes[place.fit] = -(-event.batch_size // event.replicas)
        self.last = select_further(self.last, place)
        if event.restored or place.total_steps:
            self.saved = select_further(self.saved, place)
        if event.restored:
            return
        if self.first is None:
            self.first = place
        span = self._span(place)
        span.begun = min(span.begun, place.total_steps)

    def _pass(self, event: SnapshotWritten | SnapshotFailed | Logged | FitEnded) -> None:
        self._reach(event.place)
        if isinstance(event, SnapshotWritten):
            self.saved = select_further(self.saved, event.place)
        elif isinstance(event, FitEnded):
            self.fit_ends.add(event.place)

    def _reach(self, place: Place) -> None:
        self.last = select_further(self.last, place)
        if place.fit:
            self._span(place).stretch(place.total_steps)

    def _span(self, place: Place) -> Span:
        """Where the journal lost the beginning, steps count from the first that it tells of."""
        return self.spans.setdefault(place.fit, Span(place.total_steps, place.total_steps))


def select_further(one: Place, other: Place) -> Place:
    """The one of two places that lies further on."""
    return max(one, other, key=order)


def order(place: Place) -> tuple[int, int, int, int]:
    """Places by how far on they are: `total_steps` counts within one `fit` call."""
    return (place.fit, place.total_steps, place.epoch, place.step)


def group_by_attempt(events: Iterable[AnyEvent]) -> dict[int, AttemptEvents]:
    """All attempts by number, the first one first; `events` in the order of the journal."""
    records: dict[int, AttemptEvents] = {}
    for event in events:
        if event.attempt < 1:
            continue
        record = records.get(event.attempt)
        if record is None:
            record = AttemptEvents(event.attempt, event.time, event.time)
            records[event.attempt] = record
        record.take(event)
    return dict(sorted(records.items()))
