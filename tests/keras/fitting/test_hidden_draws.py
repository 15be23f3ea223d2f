"""Random numbers of TensorFlow's own kernels are found in what was traced, and named."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import attempt, events

from fitguard.contract.libraries import Library
from fitguard.keras.fitting.hidden_draws import describe_hidden_draws
from fitguard.schema.journal import Noted


def fit(library, layer):
    model = library.Sequential([library.layers.Input((2,)), layer, library.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(np.ones((4, 2)), np.ones(4), verbose=0)


class Noise(keras.layers.Layer):
    """As one finds it in scripts."""

    def call(self, inputs, training=False):
        return inputs + tf.random.normal(tf.shape(inputs)) if training else inputs


@pytest.mark.parametrize(
    ("library", "make", "operation", "advice", "no_advice"),
    [
        (
            tf_keras,
            lambda: tf_keras.layers.Dropout(0.5),
            "RandomUniform",
            "tf_keras.backend.experimental.enable_tf_random_generator()",
            "SeedGenerator",
        ),
        (keras, Noise, "RandomStandardNormal", "SeedGenerator", "Dropout"),
    ],
    ids=["dropout of tf_keras", "tf.random in a layer"],
)
def test_draws_that_cannot_be_saved_are_named(
    library, make, operation, advice, no_advice, tmp_path
):
    with attempt(tmp_path) as fits:
        fit(library, make())
    (said,) = [event.text for event in events(fits, Noted) if event.kind == "inexact"]
    assert f"({operation})" in said
    assert advice in said
    assert no_advice not in said


def test_draws_that_are_saved_are_not(tmp_path):
    with attempt(tmp_path) as fits:
        fit(keras, keras.layers.Dropout(0.5))
    assert events(fits, Noted) == []


def test_draws_inside_of_branches_and_called_functions_are_found():
    @tf.function
    def inner(x):
        return x + tf.random.uniform(())

    @tf.function
    def step(x):
        return tf.cond(tf.reduce_sum(x) > 0, lambda: inner(x), lambda: x)

    library = Library("keras", "3.0.0")
    assert describe_hidden_draws(step, library) == ""
    step(tf.zeros(2))
    assert "RandomUniform" in describe_hidden_draws(step, library)
    assert describe_hidden_draws(lambda: None, library) == ""
