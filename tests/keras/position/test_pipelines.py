"""`tf.data` pipelines."""

import itertools
import random
from typing import Any

import pytest


def numbers(count: int = 22) -> Any:
    import tensorflow as tf

    return tf.data.Dataset.range(count).map(lambda n: (n, n))


def shuffled(seed: int | None = 5) -> Any:
    return lambda: ((numbers().shuffle(22, seed=seed).batch(4),), {})


def same_order_each_epoch() -> Any:
    dataset = numbers().shuffle(22, seed=5, reshuffle_each_iteration=False)
    return (dataset.batch(4),), {}


def endless() -> Any:
    return (numbers().shuffle(22, seed=5).repeat().batch(4),), {"steps_per_epoch": 4}


def steps_of_the_whole() -> Any:
    return (numbers().shuffle(22, seed=5).batch(4),), {"steps_per_epoch": 6}


def unknown_size() -> Any:
    return (numbers().shuffle(22, seed=5).filter(lambda n, _: n % 5 != 0).batch(4),), {}


def interleaved() -> Any:
    import tensorflow as tf

    dataset = tf.data.Dataset.range(4).shuffle(4, seed=5)
    dataset = dataset.interleave(
        lambda n: tf.data.Dataset.from_tensors((n, n)).repeat(5),
        num_parallel_calls=tf.data.AUTOTUNE,
    )
    return (dataset.batch(4),), {}


def cached_order() -> Any:
    return (numbers().shuffle(22, seed=5).cache().batch(4),), {}


def from_generator() -> Any:
    import numpy as np
    import tensorflow as tf

    def draw() -> Any:
        for _ in range(5):
            number = np.random.rand(2)
            yield number, number

    spec = tf.TensorSpec((2,), tf.float64)
    dataset = tf.data.Dataset.from_generator(draw, output_signature=(spec, spec))
    return (dataset,), {}


def outer_generator() -> Any:
    """Draws from a generator of random numbers, and counts, outside of it."""
    source, seen = random.Random(4), {"epochs": 0}

    def draw() -> Any:
        seen["epochs"] += 1
        for number in range(20):
            yield number + source.random(), seen["epochs"]

    return draw


def outer_state() -> Any:
    import tensorflow as tf

    spec = tf.TensorSpec((), tf.float64), tf.TensorSpec((), tf.int64)
    dataset = tf.data.Dataset.from_generator(outer_generator(), output_signature=spec)
    return (dataset.batch(4),), {}


def python_functions() -> Any:
    import numpy as np
    import tensorflow as tf

    source, calls = np.random.default_rng(4), itertools.count()

    def draw(number: Any) -> Any:
        return number + source.random()

    def count(number: Any) -> Any:
        return number + next(calls)

    dataset = numbers().map(
        lambda x, y: (
            tf.numpy_function(draw, [x], tf.float64),
            tf.py_function(count, [y], tf.int64),
        )
    )
    return (dataset.batch(4).prefetch(2),), {}


def with_class_weights() -> Any:
    dataset = numbers().shuffle(22, seed=5).batch(4)
    return (dataset,), {"class_weight": {n: n + 1.0 for n in range(22)}}


def augmented() -> Any:
    import tensorflow as tf

    source = tf.random.Generator.from_seed(3)
    dataset = numbers().batch(4)
    return (dataset.map(lambda _, y: (source.uniform((2,)), y)),), {"held": source}


KINDS = {
    "shuffled": shuffled(),
    "without a seed": shuffled(None),
    "the same order each epoch": same_order_each_epoch,
    "endless": endless,
    "steps of the whole": steps_of_the_whole,
    "unknown size": unknown_size,
    "interleaved": interleaved,
    "a cached order": cached_order,
    "from a generator": from_generator,
    "state outside of a generator": outer_state,
    "state of functions": python_functions,
    "with class weights": with_class_weights,
}


@pytest.mark.filterwarnings("ignore:Your input ran out of data", "ignore:`shuffle=True`")
@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS.keys())
def test_comes_back(player: Any, comes_back: Any, make: Any) -> None:
    whole = comes_back(player(make), [(0, 2), (1, 0), (2, 1)])
    assert whole.position.inexact == []


@pytest.mark.filterwarnings("ignore:Your input ran out of data", "ignore:`shuffle=True`")
@pytest.mark.parametrize("make", [shuffled(), endless, unknown_size, cached_order])
def test_with_a_seed_all_is_as_without_fitguard(player: Any, comes_back: Any, make: Any) -> None:
    seeded = player(make, seed=3)
    assert comes_back(seeded, [(1, 2)]).seen == seeded.plain()


@pytest.mark.filterwarnings("ignore:Your input ran out of data", "ignore:`shuffle=True`")
def test_the_end_of_data_of_unknown_size(player: Any, comes_back: Any) -> None:
    whole = comes_back(player(unknown_size), [(0, 5), (1, 5), (2, 5)])
    assert whole.places[0, 5]["ended"] == "data"


@pytest.mark.filterwarnings("ignore:`shuffle=True`")
def test_variables_of_the_pipeline_come_back(player: Any, comes_back: Any) -> None:
    held: list[Any] = []

    def make() -> Any:
        arguments, named = augmented()
        held.append(named.pop("held"))
        return arguments, named

    whole = comes_back(player(make), [(0, 3), (2, 2)])
    assert whole.seen[0] != whole.seen[6]


@pytest.mark.filterwarnings("ignore:`shuffle=True`")
def test_shuffled_validation_data_come_back(player: Any) -> None:
    def make() -> Any:
        named = {"validation_data": numbers().shuffle(22, seed=5).batch(8)}
        return (numbers().batch(4),), named

    data = player(make)
    whole = data.play()
    resumed = data.play(whole.places[2, 1])
    assert whole.validated[:3] != whole.validated[6:]
    assert resumed.validated == whole.validated[6:]


@pytest.mark.filterwarnings("ignore:Your input ran out of data", "ignore:`shuffle=True`")
def test_reading_with_random_numbers_is_noticed(player: Any) -> None:
    assert player(from_generator).play().position.draws_random
    assert not player(shuffled()).play().position.draws_random


def unseeded() -> Any:
    import numpy as np

    source = np.random.default_rng()
    while True:
        yield source.random(), 0


def of_the_system() -> Any:
    system = random.SystemRandom()

    def draw() -> Any:
        while True:
            yield system.random(), 0

    return draw


@pytest.mark.parametrize(
    ("draw", "why"),
    [(unseeded, "numpy.random.default_rng"), (of_the_system(), "which has no seed")],
)
def test_chance_that_cannot_be_kept_is_said(player: Any, draw: Any, why: str) -> None:
    import tensorflow as tf

    spec = tf.TensorSpec((), tf.float64), tf.TensorSpec((), tf.int64)
    dataset = tf.data.Dataset.from_generator(draw, output_signature=spec).batch(2)
    inexact = player(lambda: ((dataset,), {"steps_per_epoch": 2})).play().position.inexact
    assert len(inexact) == 1
    assert why in inexact[0]


@pytest.mark.filterwarnings("ignore:`shuffle=True`")
def test_own_random_numbers_in_several_calls_at_once_are_said(player: Any) -> None:
    import tensorflow as tf

    source = random.Random(3)
    dataset = numbers().map(
        lambda x, y: (tf.numpy_function(lambda _: source.random(), [x], tf.float64), y),
        num_parallel_calls=4,
    )
    inexact = player(lambda: ((dataset.batch(4),), {})).play().position.inexact
    assert [sentence for sentence in inexact if "several calls at once" in sentence]


@pytest.mark.filterwarnings("ignore:`shuffle=True`")
def test_a_dataset_that_two_fits_share(player: Any) -> None:
    """A finished `fit` is not trained again; the next sees the order that it would have seen."""
    from fitguard.keras.position import pass_finished

    kept: list[Any] = []

    def first() -> Any:
        kept[:] = [numbers().shuffle(22, seed=5).batch(4)]
        return (kept[0],), {}

    def second() -> Any:
        return (kept[0],), {}

    end = player(first).play().position.read_end()
    undisturbed = player(second).play().seen
    first()
    assert pass_finished(kept[0], end) == []
    assert player(second).play().seen == undisturbed


@pytest.mark.filterwarnings("ignore:Your input ran out of data", "ignore:`shuffle=True`")
def test_state_outside_of_a_generator_that_two_fits_share(player: Any) -> None:
    from fitguard.keras.position import pass_finished

    kept: list[Any] = []

    def first() -> Any:
        kept[:] = outer_state()[0]
        return (kept[0],), {}

    def second() -> Any:
        return (kept[0],), {}

    end = player(first).play().position.read_end()
    undisturbed = player(second).play().seen
    first()
    assert pass_finished(kept[0], end) == []
    assert player(second).play().seen == undisturbed
