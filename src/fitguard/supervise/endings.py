"""How attempts ended, as a decision needs it: made out of the journal, so none is forgotten."""

from collections.abc import Iterable, Sequence

import msgspec

from fitguard.monitor.attempt_record import AttemptRecord, attempt_records
from fitguard.schema.finding import Confidence
from fitguard.schema.hardware import Xid
from fitguard.schema.journal import AnyEvent, AttemptStarted, Failed, Orders, RunStarted
from fitguard.schema.run import Outcome, Place


class AttemptEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How one attempt ended.

    Args:
        orders: What the attempt had been told.
        ended: Seconds since 1970.
        cause: As `explain` found it; empty where it was not asked.
        place: How far it got.
        after_fit: Whether the `fit` call of that place had come to its end.
        saved: What the newest snapshot holds, of this attempt or of those before.
        saved_end: Whether that is the end of a `fit` call.
        first: Where it began to train.
        failed: What the child itself knew of its end.
        batch_size: Of the `fit` call in which it ended; None where unknown.
        micro_batch: Rows of its micro-batches; None where the batch was whole.
        xids: Of the kernel log, since the attempt began.
        unguarded: Whether it said that something is not guarded.
        action: What was decided then; empty for the attempt that is to be decided now.
    """

    attempt: int
    outcome: Outcome
    orders: Orders = Orders()
    ended: float = 0.0
    exit_code: int | None = None
    signal: str | None = None
    cause: str = ""
    confidence: Confidence | None = None
    place: Place = Place()
    after_fit: bool = False
    saved: Place = Place()
    saved_end: bool = False
    first: Place = Place()
    steps_done: int = 0
    failed: Failed | None = None
    batch_size: int | None = None
    micro_batch: int | None = None
    xids: tuple[Xid, ...] = ()
    unguarded: bool = False
    action: str = ""


def attempt_ends(events: Sequence[AnyEvent], xids: Iterable[Xid] = ()) -> list[AttemptEnd]:
    """The attempts since a person last started or resumed the run, the last one last.

    Who resumes a run gives it a fresh chance: what was tried before is not held against it.

    Args:
        xids: Those that the kernel logged during the last attempt.
    """
    told = sorted(events, key=lambda event: event.time)
    since = _since_last_start(told)
    ends: list[AttemptEnd] = []
    saved = Place()
    fit_ends: set[Place] = set()
    for record in attempt_records(told).values():
        saved = record.saved if record.saved != Place() else saved
        fit_ends |= record.fit_ends
        if record.number >= since:
            ends.append(_end(record, saved, saved_end=saved in fit_ends))
    if ends:
        ends[-1] = msgspec.structs.replace(ends[-1], xids=tuple(xids))
    return ends


def _since_last_start(told: Sequence[AnyEvent]) -> int:
    """Number of the first attempt after the run was last started."""
    first = 1
    for event in reversed(told):
        if isinstance(event, AttemptStarted):
            first = event.attempt
        elif isinstance(event, RunStarted):
            return first
    return 1


def _end(record: AttemptRecord, saved: Place, *, saved_end: bool) -> AttemptEnd:
    ended, started = record.ended, record.started
    fit = record.last.fit
    orders = started.orders if started else Orders(attempt=record.number)
    return AttemptEnd(
        attempt=record.number,
        outcome=ended.outcome if ended else "lost",
        orders=orders,
        ended=ended.time if ended else record.last_time,
        exit_code=ended.exit_code if ended else None,
        signal=ended.signal if ended else None,
        cause=ended.cause if ended else "",
        confidence=ended.confidence if ended else None,
        place=record.last,
        after_fit=record.last in record.fit_ends,
        saved=saved,
        saved_end=saved_end,
        first=record.first or Place(),
        steps_done=record.steps_done,
        failed=record.failed,
        batch_size=record.batch_sizes.get(fit),
        micro_batch=record.micro_batches.get(fit) or orders.micro_batches.get(str(fit)),
        unguarded=record.unguarded,
        action=record.decided.action if record.decided else "",
    )
