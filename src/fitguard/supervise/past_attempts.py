"""The attempts of a run, as a decision needs them: out of the journal, so none is forgotten."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from fitguard.monitor.attempt_events import AttemptEvents, group_by_attempt, order
from fitguard.monitor.attempts import attempts
from fitguard.monitor.saved_place import Saved
from fitguard.schema.hardware import Xid
from fitguard.schema.journal import AnyEvent, AttemptStarted, Failed, NotSplit, Orders, RunStarted
from fitguard.schema.run import Attempt, Place
from fitguard.schema.run_command import is_soak


class PastAttempt(Attempt, frozen=True, kw_only=True):
    """An attempt that has ended, and what a decision must know beyond its document.

    Args:
        orders: What the attempt had been told.
        after_fit: Whether the `fit` call of its last place had come to its end.
        saved: What the newest snapshot holds, of this attempt or of those before.
        saved_end: Whether that is the end of a `fit` call.
        failed: What the child itself knew of its end.
        fallout: Whether another worker failed first, and this attempt only told of it.
        batch_size: Of the `fit` call in which it ended, on each replica; None where unknown.
        micro_batch: Rows of its micro-batches; None where the batch was whole.
        no_room: What has no room however small the step is, and what would have; empty where
            something smaller can be tried.
        shares: By number of the `fit` call, the share of memory that was asked for its step, or for
            its micro-batches; None where these are not recomputed.
        not_split: Why the batch that counts here stayed whole; None where it need not.
        xids: Of the kernel log, since the attempt began.
        unguarded: Whether it said that something is not guarded.
        soak: Whether it is of a soak, which counts computations.
    """

    ended: float = 0.0
    orders: Orders = Orders()
    after_fit: bool = False
    saved: Place = Place()
    saved_end: bool = False
    failed: Failed | None = None
    fallout: bool = False
    batch_size: int | None = None
    micro_batch: int | None = None
    not_split: NotSplit | None = None
    no_room: str = ""
    shares: Mapping[int, float | None] = msgspec.field(default_factory=dict)
    xids: tuple[Xid, ...] = ()
    unguarded: bool = False
    soak: bool = False


def list_past_attempts(
    events: Sequence[AnyEvent], xids: Iterable[Xid] = (), on_disk: Saved | None = None
) -> list[PastAttempt]:
    """The attempts since a person last started or resumed the run, the last one last.

    Who resumes a run gives it a fresh chance: what was tried before is not held against it.

    Args:
        xids: Those that the kernel logged during the last attempt.
        on_disk: What the furthest snapshot holds; None to believe the journal.
    """
    since = _find_first_since_start(events)
    soak = any(isinstance(event, RunStarted) and is_soak(event.command) for event in events)
    past: list[PastAttempt] = []
    saved = Place()
    fit_ends: set[Place] = set()
    grouped = group_by_attempt(events)
    for document in attempts(grouped, (), alive=False):
        known = grouped[document.number]
        saved = _find_saved(known, saved)
        fit_ends |= known.fit_ends
        # An attempt that only followed another worker says nothing of this one.
        if document.number >= since and not (document.outcome == "followed" and not document.cause):
            one = _extend(document, known, saved, saved_end=saved in fit_ends)
            past.append(msgspec.structs.replace(one, soak=soak))
    if past:
        past[-1] = msgspec.structs.replace(past[-1], xids=tuple(xids))
    if past and on_disk is not None:
        past[-1] = msgspec.structs.replace(past[-1], saved=on_disk.place, saved_end=on_disk.end)
    return past


def _find_saved(known: AttemptEvents, before: Place) -> Place:
    """What the furthest snapshot held after an attempt, as the journal tells."""
    if known.saved != Place():
        return known.saved
    first = known.first
    # It had to begin earlier: the snapshot from before could not be used.
    unused = first is not None and first.fit == before.fit and order(first) < order(before)
    return Place() if unused else before


def _find_first_since_start(told: Sequence[AnyEvent]) -> int:
    """Number of the first attempt after the run was last started."""
    first = 1
    for event in reversed(told):
        if isinstance(event, AttemptStarted):
            first = event.attempt
        elif isinstance(event, RunStarted):
            return first
    return 1


def _extend(
    document: Attempt, known: AttemptEvents, saved: Place, *, saved_end: bool
) -> PastAttempt:
    fit = known.last.fit
    orders = known.started.orders if known.started else Orders(attempt=known.number)
    # Evaluation is split whatever holds for training.
    evaluated = known.failed is not None and known.failed.evaluation
    return PastAttempt(
        **msgspec.structs.asdict(document),
        orders=orders,
        after_fit=known.last in known.fit_ends,
        saved=saved,
        saved_end=saved_end,
        failed=known.failed,
        fallout=known.ended is not None and known.ended.fallout,
        batch_size=known.batch_sizes.get(fit),
        micro_batch=known.micro_batches.get(fit) or orders.micro_batches.get(str(fit)),
        not_split=None if evaluated else known.not_split.get(fit),
        no_room=known.no_room,
        shares=known.shares,
        unguarded=known.unguarded,
    )
