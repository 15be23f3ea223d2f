"""What draws in kernels is named."""

from typing import Any

import numpy as np

from fitguard.keras.state.hidden import random_kernels

X = np.ones((4, 3), "f4")


def trained(model: Any, steps_per_execution: int = 1) -> Any:
    model.compile("sgd", "mse", steps_per_execution=steps_per_execution)
    model.fit(X, X, verbose=0)
    return model


def test_layers_of_keras_3_keep_their_state_in_variables() -> None:
    import keras

    model = trained(keras.Sequential([keras.Input((3,)), keras.layers.Dropout(0.5)]))

    assert random_kernels(model) == []


def test_layers_of_tf_keras_do_not() -> None:
    import tf_keras

    model = tf_keras.Sequential([tf_keras.layers.Dense(3), tf_keras.layers.Dropout(0.5)])
    assert random_kernels(model) == []

    assert random_kernels(trained(model)) == ["RandomUniform"]


def test_operations_of_the_users_own() -> None:
    import keras
    import tensorflow as tf

    class Noise(keras.layers.Layer):  # type: ignore[name-defined, misc]
        def call(self, x: Any) -> Any:
            return x + tf.random.normal(tf.shape(x))

    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(3), Noise()])

    assert random_kernels(trained(model, 2)) == ["RandomStandardNormal"]
