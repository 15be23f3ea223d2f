"""The `fit` calls of a run, as its document shows them."""

from collections.abc import Iterable

import msgspec

from fitguard.schema.journal import (
    INEXACT,
    AnyEvent,
    AttemptStarted,
    FitBegan,
    FitEnded,
    MicroBatchChosen,
    Noted,
    NotSplit,
)
from fitguard.schema.run import RunFit


def fits(events: Iterable[AnyEvent]) -> tuple[RunFit, ...]:
    """All of them by number; of each what was last said of it. `events` in the order of time."""
    known: dict[int, RunFit] = {}
    ordered: dict[str, int] = {}
    for event in events:
        match event:
            case AttemptStarted():
                ordered = event.orders.micro_batches
            case FitBegan():
                number = event.place.fit
                known[number] = _begin_fit(
                    known.get(number, _build_unheard_fit(number)), event, ordered
                )
            case FitEnded():
                number = event.place.fit
                fit = known.get(number, _build_unheard_fit(number))
                known[number] = msgspec.structs.replace(fit, finished=True)
            case MicroBatchChosen(evaluation=False):
                fit = known.get(event.fit, _build_unheard_fit(event.fit))
                rows = event.rows if event.rows < event.of else None
                known[event.fit] = msgspec.structs.replace(fit, micro_batch=rows)
            case NotSplit():
                # What was ordered is not done.
                ordered = {key: rows for key, rows in ordered.items() if key != str(event.fit)}
                fit = known.get(event.fit, _build_unheard_fit(event.fit))
                known[event.fit] = msgspec.structs.replace(fit, micro_batch=None)
            case Noted() if event.kind == INEXACT:
                fit = known.get(event.fit, _build_unheard_fit(event.fit))
                known[event.fit] = _add_inexact(fit, event.text)
    return tuple(fit for number, fit in sorted(known.items()) if number > 0)


def _build_unheard_fit(number: int) -> RunFit:
    """The journal lost how it began."""
    return RunFit(number=number, library="")


def _begin_fit(fit: RunFit, event: FitBegan, ordered: dict[str, int]) -> RunFit:
    if event.restored and fit.library:
        # Nothing was trained: what is known of the training stays.
        return msgspec.structs.replace(fit, finished=True)
    return msgspec.structs.replace(
        fit,
        library=event.library,
        model=event.model,
        epochs=event.epochs,
        steps_per_epoch=event.steps_per_epoch,
        batch_size=event.batch_size,
        micro_batch=ordered.get(str(fit.number), fit.micro_batch),
        finished=event.restored,
    )


def _add_inexact(fit: RunFit, text: str) -> RunFit:
    if text in fit.inexact:
        return fit
    return msgspec.structs.replace(fit, inexact=(*fit.inexact, text))
