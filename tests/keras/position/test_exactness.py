"""What is said to be inexact, of pipelines that cannot be exact."""

from types import SimpleNamespace
from typing import Any

import pytest

from fitguard.keras.position.exactness import assess_data


def of(dataset: Any) -> SimpleNamespace:
    """As Keras reads it."""
    return SimpleNamespace(kind="", dataset=dataset, loader=None)


@pytest.fixture(autouse=True)
def no_seed() -> None:
    import tensorflow as tf

    tf.random.set_seed(None)


def numbers() -> Any:
    import tensorflow as tf

    return tf.data.Dataset.range(8)


def unseeded_shuffle() -> Any:
    return numbers().shuffle(8).batch(2)


def shuffle_in_a_function() -> Any:
    return numbers().flat_map(lambda _: numbers().shuffle(8))


def unseeded_numbers() -> Any:
    import tensorflow as tf

    return numbers().map(lambda n: tf.random.uniform(()) + tf.cast(n, tf.float32))


def numbers_in_parallel() -> Any:
    import tensorflow as tf

    def draw(n: Any) -> Any:
        return tf.random.uniform((), seed=3) + tf.cast(n, tf.float32)

    return numbers().map(draw, num_parallel_calls=4)


def variable_in_parallel() -> Any:
    import tensorflow as tf

    source = tf.random.Generator.from_seed(3)
    return numbers().map(lambda _: source.uniform(()), num_parallel_calls=4)


def unordered_map() -> Any:
    return numbers().map(lambda n: n, num_parallel_calls=4, deterministic=False)


def unordered_by_option() -> Any:
    import tensorflow as tf

    options = tf.data.Options()
    options.deterministic = False
    return numbers().map(lambda n: n, num_parallel_calls=4).with_options(options)


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (unseeded_shuffle, "A shuffle of the tf.data pipeline has no seed"),
        (shuffle_in_a_function, "ShuffleDataset"),
        (unseeded_numbers, "RandomUniform"),
        (numbers_in_parallel, "several calls at once"),
        (variable_in_parallel, "several calls at once"),
        (unordered_map, "deterministic=False"),
        (unordered_by_option, "deterministic=False"),
    ],
)
def test_said(make: Any, part: str) -> None:
    (sentence,) = assess_data(of(make()), seeded_orders=True).inexact
    assert part in sentence


def test_nothing_is_said_of_what_is_exact() -> None:
    import tensorflow as tf

    dataset = numbers().shuffle(8, seed=1).map(lambda n: n + 1, num_parallel_calls=4).batch(2)
    drawn = dataset.map(lambda n: tf.random.uniform((), seed=4) + tf.cast(n, tf.float32))
    one_call = numbers().map(lambda _: tf.random.uniform((), seed=3), num_parallel_calls=1)
    for exact in (dataset, drawn, one_call):
        assert assess_data(of(exact), seeded_orders=True).inexact == []


def test_python_in_parallel_is_only_said_if_it_draws() -> None:
    import tensorflow as tf

    dataset = numbers().map(
        lambda n: tf.numpy_function(lambda v: v, [n], tf.int64), num_parallel_calls=4
    )
    exactness = assess_data(of(dataset), seeded_orders=True)
    assert exactness.inexact == []
    assert "Python code" in exactness.if_drawn[0]


@pytest.mark.parametrize(("seed", "anew"), [(1, False), (None, True)])
def test_a_cache_of_random_order_must_be_filled_again(seed: int | None, anew: bool) -> None:
    dataset = numbers().shuffle(8, seed=seed) if seed else numbers()
    assert assess_data(of(dataset.cache().batch(2)), seeded_orders=True).begins_anew is anew


def test_a_stage_that_cannot_be_looked_into_is_said() -> None:
    dataset = numbers().shuffle(8, seed=1)
    del dataset._input_dataset
    (sentence,) = assess_data(of(dataset), seeded_orders=True).inexact
    assert "_ShuffleDataset" in sentence


def test_a_map_that_keeps_the_order_itself_is_exact() -> None:
    import tensorflow as tf

    options = tf.data.Options()
    options.deterministic = False
    ordered = numbers().map(lambda n: n, num_parallel_calls=4, deterministic=True)
    assert assess_data(of(ordered.with_options(options)), seeded_orders=True).inexact == []
