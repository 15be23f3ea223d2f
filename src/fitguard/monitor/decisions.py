"""What was decided in a run, and probed for it: by the parent, and by the child itself."""

from collections.abc import Iterable, Iterator

from fitguard.schema.journal import (
    RECOMPUTATION,
    AnyEvent,
    Decided,
    MicroBatchChosen,
    Noted,
    Probed,
)
from fitguard.schema.run import RunDecision


def decisions(events: Iterable[AnyEvent]) -> tuple[RunDecision, ...]:
    """All of them; `events` in the order of time."""
    return tuple(_decisions(events))


def _decisions(events: Iterable[AnyEvent]) -> Iterator[RunDecision]:
    known: dict[tuple[int, bool], int] = {}
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
        elif isinstance(event, Noted) and event.kind == RECOMPUTATION:
            yield RunDecision(
                time=event.time, attempt=event.attempt, action="recompute", text=event.text
            )
        elif isinstance(event, MicroBatchChosen):
            # Each attempt says again how it trains; only a change is a decision.
            where = (event.fit, event.evaluation)
            if known.get(where, event.of) != event.rows:
                yield _micro_batch(event)
            known[where] = event.rows


def _micro_batch(event: MicroBatchChosen) -> RunDecision:
    what = "evaluated" if event.evaluation else "trained"
    parts = f"in micro-batches of {event.rows}" if event.rows < event.of else "whole"
    why = f": {event.why}" if event.why else ""
    return RunDecision(
        time=event.time,
        attempt=event.attempt,
        action="smaller-micro-batch" if event.rows < event.of else "whole-batch",
        text=f"The batch of {event.of} is {what} {parts}{why}",
    )
