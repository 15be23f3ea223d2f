"""The epochs of one guarded `fit`: one bookkeeping for Keras 2 and Keras 3."""

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.contract.datasets.iterators import reading_from
from fitguard.keras.position.ahead import Ahead
from fitguard.keras.position.data_position import DataPosition, EpochEnd
from fitguard.keras.position.moment import Moment, moment_from
from fitguard.keras.position.track import Track

STARTS_AT = "_fitguard_starts_at"
"""On an adapter of Keras 2 whose rows begin with those of a later epoch."""


class _Epochs:
    """What both have in common.

    Attributes:
        open: Whether an epoch runs.
        replaying: Whether data are only read to come back.
        ran_out: Whether the epoch ends because there are no more data.
    """

    def __init__(self, position: DataPosition, data: Any, track: Track) -> None:
        self._position = position
        self._data = data
        self._track = track
        self._ahead = Ahead(track.watch, position.data_are_over, track.before_reading)
        self._calling = False
        self._at_once = 1
        self.open = False
        self.replaying = False
        self.ran_out = False
        position.steps_per_epoch = data.steps_per_epoch
        position.batch_size = data.batch_size

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """An epoch."""
        self.open = True
        try:
            yield
        finally:
            self.open = False

    def note_failed_call(self) -> None:
        """The call of the train function was not complete: no more data, or an error."""
        if self._steps_of_call() == self._at_once:
            self._calling = False
        # Else fewer steps were left than one call takes: up to Keras 3.6 it ends with an error.
        self.ran_out = True

    def over(self) -> None:
        """The steps of the epoch are complete."""
        self._complete()
        self._position.epoch_over("data" if self.ran_out else "loop", self._track.at_rest())
        self.ran_out = False

    def walk(
        self, elements: Iterator[Any], iterator_of: Callable[[Any], Any], saved: Any
    ) -> Iterator[Any]:
        """What Keras enumerates in one epoch, with the hook before each element.

        Args:
            iterator_of: Where the batches of an element come from.
            saved: What was done of the epoch before; None where nothing was.
        """
        if saved:
            last = self._skip(elements, iterator_of, saved["executions"])
            if saved["ended"]:
                yield from self._lead_out(elements, iterator_of, last, saved["ended"])
                return
        for element in elements:
            self._at_once = self._data.steps_at_once
            self._ahead.point_at(iterator_of(element), self._at_once)
            self._position.between(self._position, self._ahead)
            self._calling = True
            yield element
            self._complete()

    def _skip(
        self, elements: Iterator[Any], iterator_of: Callable[[Any], Any], executions: int
    ) -> Any:
        """Pass what was done of the epoch; the last element of it."""
        last: Any = None
        for last in itertools.islice(elements, executions):
            steps = self._track.skip(iterator_of(last), self._data.steps_at_once)
            self._position.note_executed(steps)
        return last

    def _lead_out(
        self,
        elements: Iterator[Any],
        iterator_of: Callable[[Any], Any],
        last: Any,
        ended: EpochEnd,
    ) -> Iterator[Any]:
        """Let Keras see the end of an epoch whose steps are all done."""
        # Where the data ran out, that was seen one element later.
        shown: Any = next(elements) if last is None else last
        self._ahead.point_at(iterator_of(shown), 0, over=True)
        self._position.between(self._position, self._ahead)
        yield shown
        if last is not None:
            next(elements, None)
        self.ran_out = ended == "data"

    def _steps_of_call(self) -> int:
        """Steps that the call of the train function takes: fewer at the end of the data."""
        if taken := self._ahead.batches:
            return len(taken)
        return 1 if self._at_once == 1 else self._track.steps_of(self._at_once)

    def _complete(self) -> None:
        if self._calling:
            steps = self._steps_of_call()
            self._track.note_read(steps)
            self._position.note_executed(steps)
            self._position.steps_here += steps
            self._calling = False


class Epochs3(_Epochs):
    """Keras 3 has an element for each call of its train function, with the iterator in it."""

    def __init__(self, position: DataPosition, data: Any, track: Track) -> None:
        super().__init__(position, data, track)
        self._next_epoch = -1

    def over(self) -> None:
        super().over()
        self._next_epoch += 1

    def steps(self, elements_of: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        """What Keras enumerates in one epoch."""
        position = self._position
        if self._next_epoch < 0:
            # Not before: BackupAndRestore may have changed it.
            self._next_epoch = position.epoch
        saved, position.saved = position.saved, None
        if saved:
            self._replay(moment_from(saved["moment"]), elements_of)
        position.epoch_begins(self._next_epoch)
        here = self._track.here(position.epoch, self._data.learned)

        def iterator_of(element: Any) -> Any:
            iterator = element[-1]
            if iterator is not self._ahead.source:
                self._track.follow(iterator, here)
            return iterator

        for *numbers, _ in self.walk(elements_of(), iterator_of, saved):
            yield (*numbers, self._ahead.iterator)

    def _replay(self, moment: Moment, elements_of: Callable[[], Iterator[Any]]) -> None:
        """Bring the data to the start of the epoch that is resumed."""
        self._data.learned = moment.batches
        self._data.begin_anew()
        self._track.go_back(moment)
        self.replaying = True
        with warnings.catch_warnings():
            # That the data ran out was said in the first process.
            warnings.simplefilter("ignore")
            for epoch in range(moment.epoch, self._next_epoch):
                self._position.epoch_begins(epoch)
                here = self._track.here(epoch, self._data.learned)
                with self._data.keras.catch_stop_iteration():
                    for *_, iterator in elements_of():
                        self._track.follow(iterator, here)
                        if not self._track.skip(iterator, self._data.steps_at_once):
                            raise StopIteration
        self.replaying = False


class Epochs2(_Epochs):
    """Keras 2 has one iterator for all epochs, or one for each, and then numbers of steps."""

    def __init__(self, position: DataPosition, data: Any, track: Track) -> None:
        super().__init__(position, data, track)
        self._iterator: Any = None
        self._resumed: dict[str, Any] | None = None

    def epochs(self, original: Callable[..., Any]) -> Iterator[Any]:
        """What Keras enumerates: epochs, from the one that is resumed."""
        position, data, track = self._position, self._data, self._track
        saved, position.saved = position.saved, None
        moment = moment_from(saved["moment"]) if saved else None
        target: int = saved["epoch"] if saved else data.first_epoch
        if moment is not None:
            shortcut = hasattr(data.adapter, STARTS_AT)
            data.first_epoch = target if shortcut else moment.epoch
            data.learned = moment.batches
            track.go_back(moment, int(data.drops_an_iterator))
        for epoch, iterator in original(data.keras):
            if moment is not None:
                track.restore(moment)
            track.follow(iterator, moment or track.here(epoch, data.learned))
            moment = None
            position.epoch_begins(epoch)
            self._iterator = iterator
            if epoch < target:
                self._read_epoch()
                continue
            self._resumed = saved if epoch == target else None
            yield epoch, iterator
        position.rest = track.at_rest()

    def _read_epoch(self) -> None:
        """Pass a whole epoch as Keras would, without a step."""
        self.replaying = True
        with self._data.keras.catch_stop_iteration():
            for _ in self._data.keras.steps():
                if not self._track.skip(self._iterator, self._data.steps_at_once):
                    raise StopIteration
        self.replaying = False

    def steps(self, steps_of: Callable[[], Iterator[int]]) -> Iterator[int]:
        """What Keras enumerates in one epoch."""
        resumed, self._resumed = self._resumed, None
        iterator = self._iterator
        for step in self.walk(steps_of(), lambda _: iterator, resumed):
            with reading_from(iterator, self._ahead.iterator):
                yield step
