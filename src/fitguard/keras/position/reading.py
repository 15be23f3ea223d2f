"""Put around what Keras reads its data with: an `Epochs` follows those of the guarded `fit`."""

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.epoch_data import (
    epoch_data,
    rows_to_slice,
    shuffles_values,
)
from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import Wraps
from fitguard.keras.position.data_position import DataPosition, PositionOf
from fitguard.keras.position.drawing import SharedDraws
from fitguard.keras.position.epochs import STARTS_AT, Epochs2, Epochs3
from fitguard.keras.position.exactness import assess_data
from fitguard.keras.position.roots import python_roots
from fitguard.keras.position.track import Track
from fitguard.keras.position.unseeded import array_orders
from fitguard.keras.position.validation import is_called_by_fit

_EPOCHS = "_fitguard_epochs"
_FOLLOWED = ("TFEpochIterator", "DataHandler")
"""Others are for parameter servers: they have an iterator in each worker."""

Original = Callable[..., Any]


def epoch_wraps(position_of: PositionOf) -> Wraps:
    """What is put around Keras' reading of data."""
    return {
        Role.DATA_MADE: functools.partial(_claiming, position_of=position_of),
        Role.ROWS_SLICED: functools.partial(_slicing, position_of=position_of),
        Role.EPOCHS: _enumerating,
        Role.STEPS: _stepping,
        Role.DATA_RUN_OUT: _catching,
    }


def _claiming(original: Original, library: Library, position_of: PositionOf) -> Original:
    @functools.wraps(original)
    def init(self: Any, *arguments: Any, **named: Any) -> None:
        position = position_of()
        if position is None or position.claimed:
            with (
                position.validation.remaking_data()
                if position is not None
                else contextlib.nullcontext()
            ):
                original(self, *arguments, **named)
            if position is not None and is_called_by_fit():
                data = epoch_data(self, library)
                position.validation.follow(data.dataset, data.python_data, python_roots(data))
            return
        position.claimed = True
        if type(self).__name__ not in _FOLLOWED:
            original(self, *arguments, **named)
            position.refuse(f"{type(self).__name__} reads the data in other processes")
            return
        if position.saved and library.generation == 2:
            # Arrays are repeated for the epochs of the whole `fit`; `fit` sets its own afterwards.
            named["initial_epoch"] = position.first_epoch
        seed = None if shuffles_values(library, named.get("shuffle")) else position.seed
        epoch = _epoch_to_order(position, library)
        drawing = SharedDraws(named.get("x"))
        with array_orders(seed, position.fit, epoch) as orders, drawing:
            original(self, *arguments, **named)
        data = epoch_data(self, library)
        if data.missing:
            position.refuse(f"{type(self).__name__} of {library} has no {data.missing[0]}")
            return
        exactness = assess_data(
            data,
            named.get("x"),
            seeded_orders=orders.drawn,
            workers=data.workers(named),
            draws=drawing.seen,
        )
        track = Track(position, data.dataset, exactness, data.size)
        position.validation.note_training_data(data.dataset, data.python_data, track.python)
        position.sources = track.python.sources
        position.library = library.package
        epochs = Epochs3 if library.generation == 3 else Epochs2
        setattr(self, _EPOCHS, epochs(position, data, track))

    return init


def _epoch_to_order(position: DataPosition, library: Library) -> Callable[[], int]:
    """The epoch whose order is drawn: Keras 2 draws those of all epochs one after the other."""
    if library.generation == 3:
        return position.weak_epoch()
    return itertools.count(position.first_epoch).__next__


def _slicing(original: Original, _: Library, position_of: PositionOf) -> Original:
    @functools.wraps(original)
    def slice_inputs(self: Any, indices_dataset: Any, *inputs: Any, **named: Any) -> Any:
        position = position_of()
        if position is not None and position.saved and not position.library:
            rows = rows_to_slice(self)
            if rows is not None:
                # Past the earlier epochs by their row numbers alone: no data are read for it.
                epochs = position.epoch - position.first_epoch
                indices_dataset = indices_dataset.skip(epochs * rows)
                setattr(self, STARTS_AT, position.epoch)
        return original(self, indices_dataset, *inputs, **named)

    return slice_inputs


def _enumerating(original: Original, _: Library) -> Original:
    @functools.wraps(original)
    def enumerate_epochs(self: Any) -> Any:
        epochs: Epochs2 | None = getattr(self, _EPOCHS, None)
        return original(self) if epochs is None else epochs.epochs(original)

    return enumerate_epochs


def _stepping(original: Original, _: Library) -> Original:
    @functools.wraps(original)
    def steps(self: Any) -> Any:
        epochs: Epochs3 | Epochs2 | None = getattr(self, _EPOCHS, None)
        # Keras 3 also looks at a first batch to build the model, before any epoch.
        if epochs is None or epochs.replaying or not epochs.open:
            return original(self)
        return epochs.steps(functools.partial(original, self))

    return steps


def _catching(original: Original, _: Library) -> Original:
    @functools.wraps(original)
    @contextlib.contextmanager
    def catch_stop_iteration(self: Any) -> Iterator[None]:
        epochs: Epochs3 | Epochs2 | None = getattr(self, _EPOCHS, None)
        if epochs is None or epochs.replaying:
            with original(self):
                yield
            return
        with epochs.running(), original(self):
            try:
                yield
                if epochs.ran_out:
                    raise StopIteration
            except BaseException:
                epochs.note_failed_call()
                raise
        epochs.over()

    return catch_stop_iteration
