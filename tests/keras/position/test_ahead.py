"""Batches in hand, fed to Keras' own train function."""

import contextlib
from typing import Any

import numpy as np
import pytest

from fitguard.keras.position import Ahead, DataPosition, epoch_iterators, iterator_over


def ahead_of(iterator: Any, count: int = 1) -> tuple[Ahead, list[str]]:
    ends: list[str] = []
    ahead = Ahead(contextlib.nullcontext(), lambda: ends.append("end"))
    ahead.point_at(iterator, count)
    return ahead, ends


def test_untouched_it_gives_the_iterator_of_keras() -> None:
    import tensorflow as tf

    iterator = iter(tf.data.Dataset.range(3))
    ahead, _ = ahead_of(iterator)
    assert ahead.iterator is iterator


def test_taken_it_gives_the_same_batches_and_the_rest_stays() -> None:
    import tensorflow as tf

    iterator = iter(tf.data.Dataset.range(5).batch(2))
    ahead, ends = ahead_of(iterator, 2)
    assert [batch.numpy().tolist() for batch in ahead.take()] == [[0, 1], [2, 3]]
    assert [batch.numpy().tolist() for batch in ahead.iterator] == [[0, 1], [2, 3]]
    assert [batch.numpy().tolist() for batch in ahead.again()] == [[0, 1], [2, 3]]
    assert next(iterator).numpy().tolist() == [4]
    assert ends == []


def test_at_the_end_keras_gets_its_own_iterator() -> None:
    import tensorflow as tf

    iterator = iter(tf.data.Dataset.range(0))
    ahead, ends = ahead_of(iterator)
    assert ahead.take() == []
    assert ahead.iterator is iterator
    assert ends == ["end"]


def elements() -> dict[str, Any]:
    import tensorflow as tf

    rows = tf.data.Dataset.range(5).batch(2)
    return {
        "a dictionary": rows.map(lambda n: ({"a": n, "b": tf.cast(n, tf.float32)}, n)),
        "ragged": tf.data.Dataset.range(1, 4).map(tf.range).ragged_batch(2),
        "sparse": rows.map(lambda n: tf.sparse.from_dense(n)),
        "text": rows.map(tf.strings.as_string),
        "a missing part": rows.map(lambda n: (n, tf.experimental.Optional.empty(None))),
    }


@pytest.mark.parametrize("kind", ["a dictionary", "ragged", "sparse", "text", "a missing part"])
def test_any_element_keeps_its_spec(kind: str) -> None:
    import tensorflow as tf

    dataset = elements()[kind]
    iterator = iter(dataset)
    ahead, _ = ahead_of(iterator)
    (batch,) = ahead.take()
    assert ahead.iterator.element_spec == dataset.element_spec
    again = next(ahead.iterator)
    pairs = zip(
        tf.nest.flatten(batch, expand_composites=True),
        tf.nest.flatten(again, expand_composites=True),
        strict=True,
    )
    for old, new in pairs:
        if old.dtype != tf.variant:
            assert np.array_equal(old.numpy(), new.numpy())


def test_other_iterators_are_fed_as_python_iterators() -> None:
    assert list(iterator_over([1, 2], iter([]))) == [1, 2]


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
@pytest.mark.parametrize("execution", [1, 2])
def test_weights_are_those_of_plain_fit_and_nothing_is_traced_again(
    library: str, execution: int
) -> None:
    plain, traced = trained(library, execution, take=None)
    for take in (False, True):
        guarded, traced_guarded = trained(library, execution, take=take)
        assert all(np.array_equal(a, b) for a, b in zip(plain, guarded, strict=True))
        assert traced_guarded == traced


def trained(library: str, execution: int, take: bool | None) -> tuple[list[Any], int]:
    """The weights, and how often the training step was traced; `take` None: without fitguard."""
    import importlib

    keras = importlib.import_module(library)
    keras.utils.set_random_seed(3)
    traces: list[None] = []

    class Traced(keras.Sequential):
        def train_step(self, *arguments: Any) -> Any:
            traces.append(None)
            return super().train_step(*arguments)

    model = Traced([keras.layers.Dense(3, activation="tanh"), keras.layers.Dense(1)])
    model.compile("adam", "mse", steps_per_execution=execution)
    x = np.random.default_rng(0).normal(size=(22, 2)).astype("float32")
    position = None
    if take is not None:
        hook = (lambda _, ahead: ahead.take() if ahead else None) if take else (lambda _, __: None)
        position = DataPosition(hook, seed=1)
    with epoch_iterators(lambda: position):
        model.fit(x, x[:, :1], batch_size=4, epochs=2, verbose=0)
    return model.get_weights(), len(traces)


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
def test_the_data_are_freed_as_soon_as_in_plain_fit(library: str) -> None:
    """Arrays become tensors: a second copy of all data, which must not wait for a collection."""
    import gc
    import importlib
    import weakref

    keras = importlib.import_module(library)
    followed: list[Any] = []

    class Look(keras.callbacks.Callback):
        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            kinds = ("TFEpochIterator", "DataHandler")
            held = [thing for thing in gc.get_objects() if type(thing).__name__ in kinds]
            followed.extend(weakref.ref(thing) for thing in held)

    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    position = DataPosition(lambda _, ahead: ahead.take() if ahead else None, seed=1)
    gc.collect()
    with epoch_iterators(lambda: position):
        model.fit(np.zeros((4, 2)), np.zeros(4), verbose=0, callbacks=[Look()])
    assert followed
    assert all(thing() is None for thing in followed)
    assert position.total_steps == 1
