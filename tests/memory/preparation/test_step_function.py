"""Training steps that are no model's."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from fitguard.memory.preparation import prepare
from fitguard.schema.exit_codes import UsageError


def loop(library):
    """A step as in TensorFlow's guide to custom training."""
    model = library.Sequential([library.layers.Input((4,)), library.layers.Dense(2)])
    optimizer = library.optimizers.Adam()

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(x) - y) ** 2)
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return loss

    return step, optimizer


X, Y = np.zeros((12, 4), "float32"), np.zeros((12, 2), "float32")


@pytest.mark.parametrize("library", [keras, tf_keras])
def test_a_loop_of_the_users_own(library):
    step, optimizer = loop(library)
    before = len(list(optimizer.variables))
    with prepare(step, None, (X, Y)) as prepared:
        training = prepared.training
        traced = tf.function(training.step).get_concrete_function(*training.specs(7))
        assert len(traced.captured_inputs) >= 2 + 2 * 2
    assert (prepared.batch_size, training.model, training.jit_compile) == (12, None, False)
    assert prepared.step.inputs == (("x", (12, 4), "float32"), ("y", (12, 2), "float32"))
    assert len(list(optimizer.variables)) == before
    assert step.experimental_get_tracing_count() == 0
    step(X, Y)
    assert int(optimizer.iterations) == 1


def test_shapes_fixed_arrays_and_xla():
    @tf.function(jit_compile=True)
    def step(x, table, rate):
        return tf.reduce_sum(x) * tf.reduce_sum(table) * rate

    given = ((None, 4), np.zeros((5, 2)), tf.constant(0.5))
    with prepare(step, 8, given) as prepared:
        specs = prepared.training.specs(7)
    assert [tuple(spec.shape) for spec in specs] == [(7, 4), (5, 2), ()]
    assert prepared.training.jit_compile
    with prepare(step, 8, given, jit_compile=False) as prepared:
        assert not prepared.training.jit_compile


def test_a_plain_function_is_taken_for_a_graph():
    def twice(x):
        return x + x

    with prepare(twice, 8, (X,)) as prepared:
        assert prepared.notes == ("twice is no tf.function; it was planned as if it were one.",)


def test_wrong_arguments():
    step, _ = loop(keras)
    with pytest.raises(UsageError, match="the function step without examples of its arguments"):
        prepare(step, 8).__enter__()
    with pytest.raises(UsageError, match=r"x\[1\], a str, as argument of the training step"):
        prepare(step, 8, (X, "y")).__enter__()
