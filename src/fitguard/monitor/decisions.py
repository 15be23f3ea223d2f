"""What was decided in a run, and probed for it: by the parent, and by the child itself."""

from collections.abc import Iterable, Iterator

from fitguard.schema.journal import (
    AnyEvent,
    Decided,
    MicroBatchChosen,
    Probed,
    RecomputationChosen,
)
from fitguard.schema.run import RunDecision


def decisions(events: Iterable[AnyEvent]) -> tuple[RunDecision, ...]:
    """All of them; `events` in the order of time."""
    return tuple(_decisions(events))


def _decisions(events: Iterable[AnyEvent]) -> Iterator[RunDecision]:
    known: dict[tuple[int, bool], tuple[int, float | None]] = {}
    shares: dict[int, float] = {}
    for event in events:
        if isinstance(event, Decided):
            yield RunDecision(
                time=event.time,
                attempt=event.attempt,
                action=event.action,
                cause=event.cause,
                text=event.text,
                changes_results=event.changes_results,
            )
        elif isinstance(event, Probed):
            yield RunDecision(
                time=event.time, attempt=event.attempt, action="probe", text=event.text
            )
        elif isinstance(event, RecomputationChosen):
            if shares.get(event.fit) != event.share:
                yield _recomputation(event)
            shares[event.fit] = event.share
        elif isinstance(event, MicroBatchChosen):
            # Each attempt says again how it trains; only a change is a decision.
            where = (event.fit, event.evaluation)
            if known.get(where, (event.of, None)) != (event.rows, event.share):
                yield _micro_batch(event)
            known[where] = event.rows, event.share


def describe_recomputation(count: int, share: float, extra: float, why: str) -> str:
    """How a step is recomputed, in a sentence."""
    if not count:
        how, time = "a step runs in another order", ""
    else:
        how = f"{count} operations of a step run twice"
        time = f" and about {extra:.0%} more time"
    less = f"{1 - share:.0%} less memory"
    return f"the batch stays whole, and {how}, so that it takes {less}{time}: {why}"


def describe_parts(rows: int, share: float | None) -> str:
    """How a batch is trained that is split, in a few words."""
    twice = "" if share is None else ", and part of each is computed twice"
    return f"in micro-batches of {rows}{twice}"


def _recomputation(event: RecomputationChosen) -> RunDecision:
    text = describe_recomputation(event.count, event.share, event.extra, event.why)
    return RunDecision(
        time=event.time,
        attempt=event.attempt,
        action="recompute",
        text=text[0].upper() + text[1:],
    )


def _micro_batch(event: MicroBatchChosen) -> RunDecision:
    what = "evaluated" if event.evaluation else "trained"
    parts = describe_parts(event.rows, event.share) if event.rows < event.of else "whole"
    why = f": {event.why}" if event.why else ""
    return RunDecision(
        time=event.time,
        attempt=event.attempt,
        action="smaller-micro-batch" if event.rows < event.of else "whole-batch",
        text=f"The batch of {event.of} is {what} {parts}{why}",
    )
