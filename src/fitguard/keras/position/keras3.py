"""Keras 3: the training epoch iterator of a guarded `fit`.

with epoch_iterator.catch_stop_iteration():      <- caught: after it, the epoch is over
    for begin, end, iterator in epoch_iterator:  <- _enumerate_iterator: between steps
        callbacks.on_train_batch_begin(begin)
        logs = self.train_function(iterator)
        callbacks.on_train_batch_end(end, logs)
"""

import contextlib
import functools
import itertools
import warnings
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


def keras3_methods(position_of: PositionOf) -> Methods:
    trainer = "keras.src.backend.tensorflow.trainer"
    return {
        trainer: {
            ("TFEpochIterator", "__init__"): functools.partial(_claiming, position_of=position_of),
            ("TFEpochIterator", "catch_stop_iteration"): _catching,
            # Up to Keras 3.7.
            ("TFEpochIterator", "enumerate_epoch"): _enumerating,
        },
        "keras.src.trainers.epoch_iterator": {
            ("EpochIterator", "_enumerate_iterator"): _enumerating,
        },
    }


def _claiming(original: Callable[..., Any], position_of: PositionOf) -> Callable[..., Any]:
    @functools.wraps(original)
    def init(self: Any, *arguments: Any, **named: Any) -> None:
        position = position_of()
        if position is None or position.claimed:
            original(self, *arguments, **named)
            if position is not None and made_by_fit():
                data = getattr(self.data_adapter, "py_dataset", None)
                position.validation.follow(self._distributed_dataset, data)
            return
        position.claimed = True
        seed = None if _shuffles_values(named.get("shuffle")) else position.seed
        with array_orders(seed, position.fit, position.weak_epoch()):
            original(self, *arguments, **named)
        judgement = judge(
            self.data_adapter,
            self._distributed_dataset,
            named.get("x"),
            seeded_orders=seed is not None,
            workers=_has_workers(self.data_adapter),
        )
        setattr(self, _EPOCHS, _Epochs(position, self, judgement))

    return init


def _shuffles_values(shuffle: Any) -> bool:
    """Whether Keras shuffles the values of each batch, not their row numbers: up to 3.2."""
    from keras.src.trainers.data_adapters.array_data_adapter import ArrayDataAdapter

    code = ArrayDataAdapter.get_tf_dataset.__code__
    return shuffle == "batch" and "shuffle_batch" in (*code.co_varnames, *code.co_cellvars)


def _has_workers(adapter: Any) -> bool:
    data = getattr(adapter, "py_dataset", None)
    return data is not None and (data.workers > 1 or data.use_multiprocessing)


def _enumerating(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def enumerate_epoch(self: Any) -> Any:
        epochs: _Epochs | None = getattr(self, _EPOCHS, None)
        # Keras also looks at a first batch to build the model, before any epoch.
        if epochs is None or not epochs.open:
            return original(self)
        return epochs.steps(self, original)

    return enumerate_epoch


def _catching(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    @contextlib.contextmanager
    def catch_stop_iteration(self: Any) -> Iterator[None]:
        epochs: _Epochs | None = getattr(self, _EPOCHS, None)
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
                epochs.failed()
                raise
        epochs.over()

    return catch_stop_iteration


class _Epochs:
    """The epochs of one guarded `fit`.

    Keras' epoch iterator holds this, not the other way round: data that are no longer needed are
    freed as soon as in plain `fit`.
    """

    def __init__(self, position: DataPosition, keras: Any, judgement: Judgement) -> None:
        adapter = keras.data_adapter
        self._position = position
        self._execution: int = keras.steps_per_execution
        self._next_epoch = -1
        self.open = False
        self.replaying = False
        self.ran_out = False
        self._pending = 0
        position.library = "keras"
        position.steps_per_epoch = keras.num_batches
        position.batch_size = getattr(adapter, "batch_size", None)
        dataset = keras._distributed_dataset
        data = getattr(adapter, "py_dataset", None)
        self._track = Track(position, dataset, data, judgement, adapter.num_batches)
        self._ahead = Ahead(self._track.watch, position.data_are_over)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        self.open = True
        try:
            yield
        finally:
            self.open = False

    def failed(self) -> None:
        """The call of the train function was not complete: no more data, or an error."""
        if self._pending == self._execution:
            self._pending = 0
        # Else fewer steps were left than one call takes: up to Keras 3.7 it ends with an error.
        self.ran_out = True

    def over(self) -> None:
        """The steps of the epoch are complete."""
        self._complete()
        self._position.epoch_over("data" if self.ran_out else "loop", self._track.at_rest())
        self.ran_out = False
        self._next_epoch += 1

    def _complete(self) -> None:
        if self._pending:
            self._track.was_read(self._pending)
            self._position.executed(self._pending)
            self._pending = 0

    def steps(self, keras: Any, original: Callable[..., Any]) -> Iterator[Any]:
        """What Keras enumerates in one epoch, with the hook before each element."""
        position, ahead = self._position, self._ahead
        if self._next_epoch < 0:
            # Not before: BackupAndRestore may have changed it.
            self._next_epoch = position.epoch
        saved, position.saved = position.saved, None
        if saved:
            self._replay(moment_from(saved["moment"]), keras, original)
        position.epoch_begins(self._next_epoch)
        here = self._track.here(position.epoch, keras._num_batches)
        elements = original(keras)
        if saved:
            last = self._skip(elements, saved["executions"], here)
            if saved["ended"]:
                yield from self._lead_out(last, saved["ended"], elements)
                return
        for *numbers, iterator in elements:
            self._track.follow(iterator, here)
            ahead.point_at(iterator, self._execution)
            position.between(position, ahead)
            self._pending = len(ahead.batches or ()) or self._track.steps_of(self._execution)
            yield (*numbers, ahead.iterator)
            self._complete()

    def _skip(self, elements: Iterator[Any], executions: int, here: Moment) -> Any:
        """Pass what was done of the epoch; the last element of it."""
        last: Any = None
        for last in itertools.islice(elements, executions):
            self._track.follow(last[-1], here)
            self._position.executed(self._track.skip(last[-1], self._execution))
        return last

    def _lead_out(self, last: Any, ended: Ended, elements: Iterator[Any]) -> Iterator[Any]:
        """Let Keras see the end of an epoch whose steps are all done."""
        # Where the data ran out, that was seen one element later.
        shown: Any = last or next(elements)
        self._ahead.point_at(shown[-1], 0, over=True)
        self._position.between(self._position, self._ahead)
        yield shown
        if last is not None:
            next(elements, None)
        self.ran_out = ended == "data"

    def _replay(self, moment: Moment, keras: Any, original: Callable[..., Any]) -> None:
        """Bring the data to the start of the epoch that is resumed."""
        keras._num_batches = moment.batches
        keras._current_iterator = None
        self._track.go_back(moment)
        self.replaying = True
        with warnings.catch_warnings():
            # That the data ran out was said in the first process.
            warnings.simplefilter("ignore")
            for epoch in range(moment.epoch, self._next_epoch):
                self._position.epoch_begins(epoch)
                self._replay_epoch(epoch, keras, original)
        self.replaying = False

    def _replay_epoch(self, epoch: int, keras: Any, original: Callable[..., Any]) -> None:
        here = self._track.here(epoch, keras._num_batches)
        with keras.catch_stop_iteration():
            for *_, iterator in original(keras):
                self._track.follow(iterator, here)
                if not self._track.skip(iterator, self._execution):
                    raise StopIteration
