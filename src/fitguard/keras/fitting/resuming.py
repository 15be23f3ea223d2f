"""A snapshot, brought into the model and the callbacks of another process."""

from collections.abc import Callable, Iterable
from typing import Any

from fitguard.keras.fitting.recording import TrainingState, describe_replicas, model_arrays
from fitguard.keras.position import Ahead, DataPosition, fingerprint
from fitguard.keras.snapshots.content import Content
from fitguard.keras.state.model_state import ModelState
from fitguard.keras.state.randomness import READ_BY_DATA, read_random, write_random
from fitguard.keras.traced import trace
from fitguard.schema.journal import AnyEvent, FitBegan
from fitguard.schema.run import Place


def find_misfit(content: Content, model: Any, *, exact_only: bool = False) -> str:
    """Why a snapshot cannot be of this model, as far as it is built; empty where it can.

    Args:
        exact_only: Whether a snapshot of another number of replicas is none for this model.
    """
    if "name" not in content.document:
        return "It belongs to a training loop of your own."
    name, said = name_of(model), content.document["name"]
    if content.document["several"] and name != said:
        # Threads began in another order. Alone, a name means nothing: Keras counts them.
        return f"It belongs to the model {said}; this one is {name}."
    others = describe_replicas(content, model) if exact_only else []
    if others:
        return f"--exact-only was given, and {others[0]}."
    return ModelState(model).misfit(model_arrays(content))


def restore(
    content: Content,
    state: TrainingState,
    train_function: Callable[[Any], Any],
    position: DataPosition,
    ahead: Ahead,
    model: Any,
) -> list[str]:
    """Make all as it was, before the first step; why that is not exact.

    Args:
        train_function: Keras' own.
        position: Of the data, at the place of the snapshot.
        ahead: The next batches.

    Raises:
        OtherModel: where the model, now that it is built, is another.
    """
    # Reading goes on with the generators as they are: what tracing draws is given back.
    drawn = read_random(READ_BY_DATA) if position.draws_random else None
    state.write_then(content)
    if not trace(train_function, ahead.iterator) and ModelState(model).missing(
        model_arrays(content)
    ):
        # Some variables are made in the first step only: it is taken, and undone.
        train_function(ahead.again() if ahead.batches else ahead.iterator)
    if drawn is not None:
        write_random(drawn)
    notes = state.write(content, data_draw=position.draws_random)
    expected = content.document["next_batch"]
    if expected and ahead.batches and fingerprint(ahead.batches) != expected:
        notes.append(
            f"the data of fit call {position.fit} come in another order, or with other values, "
            "than before the restart. The result will differ from that of an uninterrupted run. "
            "Set a seed for shuffling and augmentation"
        )
    return notes


def describe_other_start(events: Iterable[AnyEvent], place: Place) -> list[str]:
    """What to say where a `fit` that no snapshot was found for begins later than it did before."""
    began = (one for one in events if isinstance(one, FitBegan) and one.place.fit == place.fit)
    first = next(began, None)
    if first is None or first.place.epoch >= place.epoch:
        return []
    return [
        f"fit call {place.fit} begins with epoch {place.epoch + 1}. When it was called first, it "
        f"began with epoch {first.place.epoch + 1}. The script goes on by itself, from files that "
        f"attempt {first.attempt} has left. No snapshot of that attempt was written, so its state "
        "cannot be completed. The result will differ from that of an uninterrupted run"
    ]


def name_of(model: Any) -> str:
    """As Keras or the script has named it."""
    return str(getattr(model, "name", ""))
