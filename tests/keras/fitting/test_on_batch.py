"""A loop with `train_on_batch` whose batch does not fit."""

import copy

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import attempt, events
from guarded.limited import limit, limited

from fitguard.keras import Guard
from fitguard.schema.journal import Failed, MicroBatchChosen, NotSplit

LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
BATCH, STEPS = 12, 4


@pytest.fixture(autouse=True)
def _enough_memory():
    yield
    limit().assign(10**6)


def new_model(library, *, batch_statistics=False):
    library.utils.set_random_seed(7)
    layers = library.layers
    middle = [layers.BatchNormalization()] if batch_statistics else []
    parts = [layers.Dense(4, activation="relu"), *middle, limited(library), layers.Dense(1)]
    model = library.Sequential([layers.Input((3,)), *parts])
    model.compile("adam", "mse", metrics=["mae"])
    return model


def train(model, rows=(BATCH,) * STEPS, guard=None, **more):
    """What each step returns."""
    logs = []
    for step, number in enumerate(rows):
        x = np.random.default_rng(step).normal(size=(number, 3)).astype("float32")
        logs.append(model.train_on_batch(x, x.sum(axis=1), **more))
        if guard is not None:
            guard.step_done(step)
    return logs


def assert_near(model, plain, logs, expected):
    for one, two in zip(model.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-6)
    tf.nest.map_structure(lambda *two: np.testing.assert_allclose(*two, rtol=1e-4), logs, expected)


@LIBRARIES
@pytest.mark.parametrize("more", [{}, {"return_dict": True}, {"sample_weight": np.arange(12.0)}])
def test_the_step_is_taken_back_and_done_in_parts(library, more, tmp_path):
    plain = new_model(library)
    expected = train(plain, **more)
    limit().assign(5)
    model = new_model(library)
    with attempt(tmp_path) as fits:
        logs = train(model, **more)
    assert [(event.rows, event.of) for event in events(fits, MicroBatchChosen)] == [
        (6, 12),
        (3, 12),
    ]
    assert_near(model, plain, logs, expected)


@LIBRARIES
def test_a_larger_batch_is_taken_back_later(library, tmp_path):
    rows = (4, 4, 12, 4, 12)
    plain = new_model(library)
    expected = train(plain, rows)
    limit().assign(6)
    model = new_model(library)
    with attempt(tmp_path) as fits:
        logs = train(model, rows, Guard(model))
    assert [(event.rows, event.of) for event in events(fits, MicroBatchChosen)] == [(6, 12)]
    assert_near(model, plain, logs, expected)


@LIBRARIES
def test_a_step_that_fits_is_that_of_keras(library, tmp_path):
    plain = new_model(library, batch_statistics=True)
    expected = train(plain, (4, 12, 6))
    model = new_model(library, batch_statistics=True)
    with attempt(tmp_path) as fits:
        logs = train(model, (4, 12, 6))
    assert events(fits, MicroBatchChosen) == []
    assert logs == expected
    for one, two in zip(model.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)


def test_statistics_of_the_batch_keep_it_whole(tmp_path):
    limit().assign(6)
    model = new_model(keras, batch_statistics=True)
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        train(model)
    assert "BatchNormalization" in events(fits, NotSplit)[0].why
    assert events(fits, MicroBatchChosen) == []


def test_steps_are_counted_without_a_guard(tmp_path, capsys):
    limit().assign(6)
    with attempt(tmp_path):
        train(new_model(keras), (4, 4, 12))
    assert "out of memory at step 3: the state is rolled back" in capsys.readouterr().err


def test_a_later_error_without_a_guard_is_the_users(tmp_path):
    model = new_model(keras)
    with attempt(tmp_path) as fits:
        train(model, (12,))
        limit().assign(6)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            train(model, (12,))
    assert events(fits, MicroBatchChosen) == []


def test_a_model_that_was_compiled_again_is_split_as_before(tmp_path):
    def loop(model):
        logs = train(model)
        model.compile(keras.optimizers.SGD(0.01), "mse")
        return [*logs, *train(model)]

    plain = new_model(keras)
    expected = loop(plain)
    limit().assign(6)
    model = new_model(keras)
    with attempt(tmp_path) as fits:
        logs = loop(model)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    assert events(fits, Failed) == []
    assert_near(model, plain, logs, expected)


def test_what_is_kept_beside_a_model_does_not_hinder_a_copy_of_it(tmp_path):
    model = new_model(keras)
    with attempt(tmp_path):
        train(model, (12,))
        assert copy.deepcopy(vars(model)["_fitguard_on_batch"]) is None


def test_parts_that_were_ordered_for_the_loop_of_a_guard(tmp_path):
    plain = new_model(keras)
    expected = train(plain)
    model = new_model(keras)
    with attempt(tmp_path, micro_batches={"1": 4}) as fits:
        logs = train(model, guard=Guard(model))
    assert [(event.rows, event.fit) for event in events(fits, MicroBatchChosen)] == [(4, 1)]
    assert_near(model, plain, logs, expected)
