"""Snapshots of one `fit` call: taken between two steps, written by a thread."""

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from fitguard.keras.fitting.recording import TrainingState, as_number
from fitguard.keras.fitting.resuming import name_of
from fitguard.keras.position import DataPosition, fingerprint
from fitguard.keras.snapshots.content import Content
from fitguard.schema.run import Place

if TYPE_CHECKING:
    from fitguard.keras.fitting.guarded_fits import GuardedFits


class Taken(NamedTuple):
    """A snapshot, and how long the training stood still for it."""

    content: Content
    seconds: float


def take(
    fits: "GuardedFits", model: Any, state: TrainingState, place: Place, **more: Any
) -> Taken | None:
    """A snapshot; None where there can be none."""
    began = time.monotonic()
    try:
        more = {"several": fits.several, **fits.company.describe(), **more}
        content = state.read(place, fits.rooms.lend, name=name_of(model), **more)
    except Exception as error:
        # A callback, or a variable, that cannot be read is no reason to end a training.
        fits.session.note(
            "snapshot",
            f"a snapshot could not be taken: {type(error).__name__}: {error}. The training goes on",
            fit=place.fit,
        )
        return None
    for sentence in state.describe_holder():
        fits.session.note("snapshot", sentence, fit=place.fit)
    return Taken(content, time.monotonic() - began)


def add_position(taken: Taken, position: DataPosition, batches: list[Any] | None) -> None:
    """Add where the data are, now that the batch after it is known."""
    taken.content.document |= {
        "position": position.read(),
        "next_batch": fingerprint(batches) if batches else "",
        **read_sizes(position),
    }


def read_sizes(position: DataPosition) -> dict[str, int | None]:
    """Of the data; None where they do not tell."""
    return {
        "batch_size": as_number(position.batch_size),
        "steps_per_epoch": as_number(position.steps_per_epoch),
    }


def write(fits: "GuardedFits", taken: Taken, place: Place, *, end: bool = False) -> None:
    """Have it written while the training goes on."""
    fits.pacing.note_taken(time.monotonic(), taken.seconds)
    fits.writer.submit(taken.content, place, taken.seconds, end=end)
