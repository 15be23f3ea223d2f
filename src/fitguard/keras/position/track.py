"""Follows the iterators of one training dataset, and leads back to a moment of it."""

from typing import Any

from fitguard.keras.position.ahead import pull_batches
from fitguard.keras.position.data_position import DataPosition
from fitguard.keras.position.dataset_variables import DatasetVariables
from fitguard.keras.position.exactness import Exactness
from fitguard.keras.position.iterators import iterators_made, make_iterators, number_of
from fitguard.keras.position.moment import Moment
from fitguard.keras.position.python_state import PythonState
from fitguard.keras.state.randomness import (
    READ_BY_DATA,
    fingerprint_random,
    read_random,
    write_random,
)


class Track:
    """The iterators of the training data.

    Args:
        position: Kept up to date.
        dataset: What iterators are made of.
        exactness: What is known of the data.
        size: Batches of one iterator; None where unknown.
    """

    def __init__(
        self,
        position: DataPosition,
        dataset: Any,
        exactness: Exactness,
        size: int | None = None,
    ) -> None:
        self.position = position
        self.dataset = dataset
        self.watch = RandomWatch(self)
        self._exactness = exactness
        self._size = size
        self._made_before = iterators_made(dataset)
        self.python = PythonState(exactness.python)
        self._variables = DatasetVariables(exactness.variables)
        self._number = -1
        self._read = 0
        self._again: Moment | None = None
        position.inexact.extend(exactness.inexact)
        position.notes.extend(exactness.notes)
        self._say()
        position.draws_random = position.draws_random or exactness.draws

    def note_draw(self, *, from_numpy: bool) -> None:
        """Reading the data changes the global random generators."""
        self.position.draws_random = True
        # Keras itself draws orders from Python's generator, and before any batch of them is read.
        if from_numpy or not self._exactness.draws:
            self.position.inexact.extend(self._exactness.if_drawn)
            self._exactness.if_drawn = []

    def at_rest(self) -> dict[str, Any]:
        """What is left in the data when an epoch is over; what it costs to read, by a call."""
        return {"iterators": self.count_iterators(), "python": self.python.read}

    def count_iterators(self) -> int:
        """Iterators that were made since `fit` began."""
        return iterators_made(self.dataset) - self._made_before

    def here(self, epoch: int, batches: int | None) -> Moment:
        """The moment that this one may become."""
        moment = Moment(
            epoch=epoch,
            batches=batches,
            random=read_random(READ_BY_DATA),
            python=self.python.read(),
            variables=self._variables.read(),
        )
        self._say()
        return moment

    def follow(self, iterator: Any, here: Moment) -> None:
        """This iterator is read next; if it is a new one, `here` is the moment to come back to."""
        number = number_of(iterator)
        if number == self._number:
            return
        self._number = number
        self._read = 0
        if self._exactness.begins_anew or self.position.moment is None:
            before = number - self._made_before
            self.position.moment = Moment(**{**vars(here), "iterators": before})

    def steps_of(self, execution: int) -> int:
        """How many steps a call of the train function takes: fewer at the end of the data."""
        if self._size is None or execution == 1:
            return execution
        return max(1, min(execution, self._size - self._read))

    def note_read(self, count: int) -> None:
        self._read += count

    def before_reading(self, iterator: Any) -> None:
        """Batches are read: for the first time since the way back."""
        moment, self._again = self._again, None
        if moment is not None:
            self.position.reads_again(moment, iterator)

    def skip(self, iterator: Any, count: int) -> int:
        """Read batches only to be past them; how many there were."""
        self.before_reading(iterator)
        with self.watch:
            batches = len(pull_batches(iterator, count))
        self.position.skipping()
        self._read += batches
        return batches

    def go_back(self, moment: Moment, made_by_keras: int = 0) -> None:
        """Bring the data to the moment, just before its iterator is made.

        Args:
            made_by_keras: Iterators that Keras makes, and does not read, before that one.
        """
        self._again = moment
        made = self.count_iterators() + made_by_keras
        make_iterators(self.dataset, moment.iterators - made)
        self.restore(moment)

    def _say(self) -> None:
        """What cannot be kept of the Python objects; some shows only when it changes."""
        self.position.inexact.extend(self.python.inexact)
        self.python.inexact.clear()

    def restore(self, moment: Moment) -> None:
        self.python.write(moment.python)
        self._say()
        self._variables.restore(moment.variables)
        write_random(moment.random)


class RandomWatch:
    """Notes whether the global generators change while batches are read."""

    def __init__(self, track: Track) -> None:
        self._track = track
        self._before: dict[str, Any] = {}

    def __enter__(self) -> None:
        self._before = fingerprint_random()

    def __exit__(self, *_: object) -> None:
        now, before = fingerprint_random(), self._before
        if now != before:
            self._track.note_draw(from_numpy=now.get("numpy") != before.get("numpy"))
