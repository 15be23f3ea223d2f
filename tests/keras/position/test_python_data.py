"""`PyDataset` and Python generators, with Keras 3."""

import itertools
from typing import Any

import numpy as np
import pytest


def py_dataset(**options: Any) -> Any:
    import keras

    class Rows(keras.utils.PyDataset):
        """Shuffles its rows itself at the end of each epoch."""

        def __init__(self, draw: bool = False, own: bool = False, **named: Any) -> None:
            super().__init__(**named)
            self.rows = np.arange(20)
            self.read = itertools.count(1)
            self.draw = draw
            self.source = np.random.default_rng(4) if own else np.random

        def __len__(self) -> int:
            return 5

        def __getitem__(self, number: int) -> Any:
            rows = self.rows[4 * number : 4 * number + 4]
            if not self.draw:
                return rows, rows
            return rows + np.random.rand(4), rows + next(self.read)

        def on_epoch_end(self) -> None:
            self.source.shuffle(self.rows)

    return Rows(**options)


def counted(**options: Any) -> Any:
    """An endless one."""
    import keras

    class Counted(keras.utils.PyDataset):
        num_batches = None

        def __getitem__(self, number: int) -> Any:
            return np.full(2, number), np.full(2, number)

    return Counted(**options)


def of(make: Any, fit: Any = None, **options: Any) -> Any:
    return lambda: ((make(**options),), dict(fit or {}))


def generator(limit: int = 1000, seed: int = 4) -> Any:
    def rows() -> Any:
        own = np.random.default_rng(seed)
        for number in range(limit):
            yield own.random(2) + number, np.random.rand(2)

    return rows()


KINDS = {
    "shuffled by Keras": of(py_dataset, {"shuffle": True}),
    "shuffled by itself only": of(py_dataset, {"shuffle": False}),
    "own random generator": of(py_dataset, own=True),
    "draws in each batch": of(py_dataset, draw=True),
    "two workers": of(py_dataset, workers=2, max_queue_size=2),
    "class weights": of(py_dataset, {"class_weight": {n: n + 1.0 for n in range(20)}}),
    "endless": of(counted, {"steps_per_epoch": 4, "shuffle": False}),
    "a generator": of(generator, {"steps_per_epoch": 4, "shuffle": False}),
    "a generator that ends": of(generator, {"shuffle": False}, limit=5),
}


@pytest.mark.filterwarnings("ignore:Your input ran out of data")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_comes_back(player: Any, make: Any) -> None:
    data = player(make)
    whole = data.play()
    assert len(whole.seen) >= 7
    for place in [(0, 2), (1, 0), (1, 1)]:
        saved = whole.places[place]
        assert data.play(saved).seen == whole.seen[saved["total_steps"] :], place


@pytest.mark.parametrize("kind", ["shuffled by Keras", "draws in each batch"])
def test_guarded_as_without_fitguard(player: Any, kind: str) -> None:
    data = player(KINDS[kind], seed=3)
    assert data.play().seen == data.plain()


def test_resumed_twice(player: Any) -> None:
    data = player(KINDS["draws in each batch"])
    whole = data.play()
    once = data.play(whole.places[0, 3])
    twice = data.play(once.places[2, 1])
    assert twice.seen == whole.seen[11:]


@pytest.mark.parametrize(
    ("kind", "draws"),
    [("shuffled by Keras", True), ("draws in each batch", True), ("endless", False)],
)
def test_whether_reading_draws_random_numbers(player: Any, kind: str, draws: bool) -> None:
    position = player(KINDS[kind]).play().position
    assert position.draws_random is draws
    assert position.inexact == []


def test_several_workers_that_draw_are_said_to_be_inexact(player: Any) -> None:
    position = player(of(py_dataset, draw=True, workers=2)).play().position
    assert any("several workers" in sentence for sentence in position.inexact)


@pytest.mark.parametrize(("seed", "said"), [("", True), ("number", False)])
def test_a_generator_for_each_batch_needs_a_seed(player: Any, seed: str, said: bool) -> None:
    def make() -> Any:
        data = py_dataset(workers=2)
        data.__class__.__getitem__ = with_own_generator if seed else with_unseeded_generator
        return (data,), {}

    inexact = player(make).play().position.inexact
    assert [sentence.partition(" without")[0] for sentence in inexact] == (
        ["Rows uses numpy.random.default_rng"] if said else []
    )


def with_own_generator(_: Any, number: int) -> Any:
    return np.random.default_rng(number).random(4), np.zeros(4)


def with_unseeded_generator(*_: Any) -> Any:
    return np.random.default_rng().random(4), np.zeros(4)


def test_orders_that_keras_or_the_data_shuffle_between_epochs_are_no_such_draws(
    player: Any,
) -> None:
    data = player(KINDS["two workers"])
    whole = data.play()
    assert whole.position.draws_random
    assert whole.position.inexact == []
    assert data.play(whole.places[1, 1]).position.inexact == []


def test_an_attribute_that_is_a_generator_is_said_to_be_inexact(player: Any) -> None:
    def make() -> Any:
        data = py_dataset()
        data.stream = (number for number in range(100))
        return (data,), {}

    position = player(make).play().position
    assert any("Rows.stream is a Python generator" in sentence for sentence in position.inexact)


def test_a_generator_is_said_to_take_time(player: Any) -> None:
    position = player(KINDS["a generator"]).play().position
    assert any("reads it again from the start" in note for note in position.notes)
    assert position.inexact == []


def test_a_generator_without_a_seed_is_said_to_be_inexact(player: Any) -> None:
    def rows() -> Any:
        own = np.random.default_rng()
        while True:
            yield own.random(2), own.random(2)

    position = player(lambda: ((rows(),), {"steps_per_epoch": 2, "shuffle": False})).play().position
    assert any("numpy.random.default_rng" in sentence for sentence in position.inexact)


def test_a_dataset_that_two_fits_share(assert_two_fits_can_share: Any) -> None:
    assert_two_fits_can_share(lambda: py_dataset(own=True))


def test_a_generator_that_two_fits_share_is_said_to_be_inexact() -> None:
    from fitguard.keras.position import pass_finished, why_passed

    shared, other = iter(range(10)), iter(range(10))
    assert pass_finished(shared, {"iterators": 1, "python": {}, "batches": 4}) == []
    assert next(shared) == 4
    assert "read ahead" in why_passed(shared)[0]
    assert why_passed(other) == []
