"""Statistics, seeds and counters take one step, however many micro-batches there are."""

from typing import Any

import numpy as np
import pytest


def test_moving_statistics_of_the_first_layer_are_those_of_the_whole_batch(compare, table):
    import keras

    def make() -> Any:
        model = keras.Sequential(
            [
                keras.Input((6,)),
                keras.layers.BatchNormalization(momentum=0.9),
                keras.layers.Dense(1),
            ]
        )
        model.compile("sgd", "mse")
        return model

    found = compare(make, *table)
    for a, b in zip(
        found.whole.non_trainable_variables, found.micro.non_trainable_variables, strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_counters_of_the_user_count_steps(compare, table):
    import keras

    class Counts(keras.layers.Layer):
        def build(self, _: Any) -> None:
            self.calls = self.add_weight(shape=(), dtype="int32", trainable=False)
            self.mean = self.add_weight(shape=(), trainable=False)

        def call(self, x: Any, training: bool = False) -> Any:
            if training:
                self.calls.assign_add(1)
                self.mean.assign(0.9 * self.mean + 0.1 * keras.ops.mean(x))
            return x

    def make() -> Any:
        model = keras.Sequential([keras.Input((6,)), Counts(), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        return model

    found = compare(make, *table)
    assert int(found.micro.layers[0].calls) == 3
    assert found.counters
    assert found.weights < 1e-6


@pytest.mark.parametrize("kept", ["the largest", "rows seen"])
def test_state_that_is_no_mean_over_rows_is_found(compare, table, kept):
    import keras

    class Keeps(keras.layers.Layer):
        def build(self, _: Any) -> None:
            self.found = self.add_weight(shape=(), trainable=False, name="found")

        def call(self, x: Any, training: bool = False) -> Any:
            if training and kept == "the largest":
                self.found.assign(keras.ops.maximum(self.found, keras.ops.max(x)))
            elif training:
                self.found.assign_add(keras.ops.cast(keras.ops.shape(x)[0], "float32"))
            return x

    def make() -> Any:
        model = keras.Sequential([keras.Input((6,)), Keeps(name="keeps"), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        return model

    (note,) = compare(make, *table).notes
    assert note.startswith("What the model keeps in ")
    assert "keeps/found is not the mean of what its rows give" in note


def test_spectral_normalisation_iterates_once_a_step(compare, table):
    import keras

    def make() -> Any:
        inner = keras.layers.SpectralNormalization(keras.layers.Dense(4))
        model = keras.Sequential([keras.Input((6,)), inner, keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        return model

    found = compare(make, *table)
    assert found.weights < 1e-6
