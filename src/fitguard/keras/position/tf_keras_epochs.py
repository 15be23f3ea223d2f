"""tf_keras (Keras 2): the training data handler of a guarded `fit`.

for epoch, iterator in data_handler.enumerate_epochs():  <- one iterator, or one an epoch
    with data_handler.catch_stop_iteration():            <- after it, the epoch is over
        for step in data_handler.steps():                <- between steps
            callbacks.on_train_batch_begin(step)
            logs = self.train_function(iterator)
            callbacks.on_train_batch_end(...)
"""

import contextlib
import functools
import itertools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.keras.position.ahead import Ahead
from fitguard.keras.position.data_position import DataPosition, Ended, PositionOf
from fitguard.keras.position.exactness import Judgement, judge
from fitguard.keras.position.moment import Moment, moment_from
from fitguard.keras.position.track import Track
from fitguard.keras.position.unseeded import array_orders
from fitguard.keras.position.validation import made_by_fit
from fitguard.memory.fit_call.patching import Methods

_EPOCHS = "_fitguard_epochs"


def tf_keras_methods(position_of: PositionOf) -> Methods:
    slicing = functools.partial(_slicing, position_of=position_of)
    return {
        "tf_keras.src.engine.data_adapter": {
            ("DataHandler", "__init__"): functools.partial(_claiming, position_of=position_of),
            ("DataHandler", "enumerate_epochs"): _enumerating,
            ("DataHandler", "steps"): _stepping,
            ("DataHandler", "catch_stop_iteration"): _catching,
            ("TensorLikeDataAdapter", "slice_inputs"): slicing,
            ("GenericArrayLikeDataAdapter", "slice_inputs"): slicing,
        }
    }


def _claiming(original: Callable[..., Any], position_of: PositionOf) -> Callable[..., Any]:
    @functools.wraps(original)
    def init(self: Any, *arguments: Any, **named: Any) -> None:
        position = position_of()
        # A handler for parameter servers has an iterator in each worker: nothing to follow here.
        if position is None or position.claimed or type(self).__name__ != "DataHandler":
            original(self, *arguments, **named)
            if position is not None and made_by_fit():
                data = getattr(self._adapter, "_keras_sequence", None)
                position.validation.follow(self._dataset, data)
            return
        position.claimed = True
        if position.saved:
            # Arrays are repeated for the epochs of the whole `fit`; `fit` sets its own afterwards.
            named["initial_epoch"] = position.first_epoch
        # Here the rows of a batch would be shuffled, not their numbers.
        seed = None if named.get("shuffle") == "batch" else position.seed
        with array_orders(seed, position.fit, itertools.count(position.first_epoch).__next__):
            original(self, *arguments, **named)
        workers = named.get("workers", 1) > 1 or bool(named.get("use_multiprocessing"))
        judgement = judge(
            self._adapter,
            self._dataset,
            named.get("x"),
            seeded_orders=seed is not None,
            workers=workers,
        )
        setattr(self, _EPOCHS, _Epochs(position, self, judgement))

    return init


def _slicing(original: Callable[..., Any], position_of: PositionOf) -> Callable[..., Any]:
    @functools.wraps(original)
    def slice_inputs(self: Any, indices_dataset: Any, inputs: Any) -> Any:
        position = position_of()
        building = position is not None and position.saved and not position.library
        if position is not None and building and self._shuffle != "batch":
            # Past the earlier epochs by their row numbers alone: no data are read for it.
            epochs = position.epoch - position.first_epoch
            indices_dataset = indices_dataset.skip(epochs * self._size)
            self._fitguard_starts_at = position.epoch
        return original(self, indices_dataset, inputs)

    return slice_inputs


def _enumerating(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def enumerate_epochs(self: Any) -> Any:
        epochs: _Epochs | None = getattr(self, _EPOCHS, None)
        return original(self) if epochs is None else epochs.epochs(original)

    return enumerate_epochs


def _stepping(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def steps(self: Any) -> Any:
        epochs: _Epochs | None = getattr(self, _EPOCHS, None)
        if epochs is None or epochs.replaying:
            return original(self)
        return epochs.steps(original)

    return steps


def _catching(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    @contextlib.contextmanager
    def catch_stop_iteration(self: Any) -> Iterator[None]:
        epochs: _Epochs | None = getattr(self, _EPOCHS, None)
        if epochs is None or epochs.replaying:
            with original(self):
                yield
            return
        with original(self):
            try:
                yield
                if epochs.ran_out:
                    raise StopIteration
            except BaseException:
                epochs.failed()
                raise
        epochs.over()

    return catch_stop_iteration


class _Epochs:
    """The epochs of one guarded `fit`."""

    def __init__(self, position: DataPosition, handler: Any, judgement: Judgement) -> None:
        adapter = handler._adapter
        self._position = position
        # It holds this: data that are no longer needed are freed as soon as in plain `fit`.
        self._handler: Any = weakref.proxy(handler)
        self._iterator: Any = None
        self._resumed: dict[str, Any] | None = None
        self.replaying = False
        self.ran_out = False
        self._pending = 0
        position.library = "tf_keras"
        position.steps_per_epoch = handler.inferred_steps
        position.batch_size = adapter.representative_batch_size()
        data = getattr(adapter, "_keras_sequence", None)
        self._track = Track(position, handler._dataset, data, judgement)
        self._ahead = Ahead(self._track.watch, position.data_are_over)

    def epochs(self, original: Callable[..., Any]) -> Iterator[Any]:
        """What Keras enumerates: epochs, from the one that is resumed."""
        position, handler, track = self._position, self._handler, self._track
        saved, position.saved = position.saved, None
        moment = moment_from(saved["moment"]) if saved else None
        target: int = saved["epoch"] if saved else handler._initial_epoch
        if moment is not None:
            self._go_back(moment, target)
        for epoch, iterator in original(handler):
            if moment is not None:
                track.restore(moment)
            here = track.here(epoch, handler._inferred_steps)
            track.follow(iterator, moment or here)
            moment = None
            position.epoch_begins(epoch)
            self._iterator = iterator
            if epoch < target:
                self._read_epoch()
                continue
            self._resumed = saved if epoch == target else None
            yield epoch, iterator
        position.rest = track.at_rest()

    def _go_back(self, moment: Moment, target: int) -> None:
        handler = self._handler
        shortcut = hasattr(handler._adapter, "_fitguard_starts_at")
        handler._initial_epoch = target if shortcut else moment.epoch
        if handler._inferred_steps is None:
            handler._inferred_steps = moment.batches
        # Keras makes one at first that it does not read, if each epoch has its own.
        self._track.go_back(moment, 1 if handler._adapter.should_recreate_iterator() else 0)

    def _read_epoch(self) -> None:
        """Pass a whole epoch as Keras would, without a step."""
        self.replaying = True
        with self._handler.catch_stop_iteration():
            for _ in self._handler.steps():
                if not self._track.skip(self._iterator, self._handler.step_increment + 1):
                    raise StopIteration
        self.replaying = False

    def steps(self, original: Callable[..., Any]) -> Iterator[int]:
        """What Keras enumerates in one epoch, with the hook before each step."""
        position, ahead, iterator = self._position, self._ahead, self._iterator
        steps = original(self._handler)
        resumed, self._resumed = self._resumed, None
        if resumed:
            last = self._skip(steps, resumed["executions"])
            if resumed["ended"]:
                yield from self._lead_out(last, resumed["ended"], steps)
                return
        for step in steps:
            count = self._handler.step_increment + 1
            ahead.point_at(iterator, count)
            position.between(position, ahead)
            self._pending = len(ahead.batches or ()) or count
            with _reading(iterator, ahead.iterator):
                yield step
            self._complete()

    def _skip(self, steps: Iterator[int], executions: int) -> int:
        """Pass what was done of the epoch; the last step of it."""
        last = 0
        for step in itertools.islice(steps, executions):
            count = self._handler.step_increment + 1
            self._position.executed(self._track.skip(self._iterator, count))
            last = step
        return last

    def _lead_out(self, last: int, ended: Ended, steps: Iterator[int]) -> Iterator[int]:
        """Let Keras see the end of an epoch whose steps are all done."""
        self._ahead.point_at(self._iterator, 0, over=True)
        self._position.between(self._position, self._ahead)
        yield last
        # Where the data ran out, that was seen one element later.
        next(steps, None)
        self.ran_out = ended == "data"

    def failed(self) -> None:
        """The call of the train function was not complete: no more data, or an error."""
        self._pending = 0
        self.ran_out = True

    def over(self) -> None:
        """The steps of the epoch are complete."""
        self._complete()
        self._position.epoch_over("data" if self.ran_out else "loop", self._track.at_rest())
        self.ran_out = False

    def _complete(self) -> None:
        if self._pending:
            self._track.was_read(self._pending)
            self._position.executed(self._pending)
            self._pending = 0


@contextlib.contextmanager
def _reading(iterator: Any, fed: Any) -> Iterator[None]:
    """Let `iterator` read from `fed` meanwhile: Keras holds it for a whole epoch."""
    if iterator is fed:
        yield
        return
    own = iterator._iterator_resource
    iterator._iterator_resource = fed._iterator_resource
    try:
        yield
    finally:
        iterator._iterator_resource = own
