"""The same, compiled with XLA."""

from typing import Any

import pytest

pytestmark = pytest.mark.soak


def test_dense_with_all_kinds_of_noise(compare, table):
    import keras

    layers = keras.layers

    def make() -> Any:
        model = keras.Sequential(
            [
                keras.Input((6,)),
                layers.GaussianNoise(0.1),
                layers.Dense(7, "relu", kernel_regularizer="l2"),
                layers.Dropout(0.3),
                layers.GaussianDropout(0.3),
                layers.Dense(3),
            ]
        )
        loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(keras.optimizers.SGD(0.1, clipnorm=0.5), loss, metrics=["accuracy"])
        return model

    found = compare(make, *table, rows=(4, 4), jit=True)
    assert found.weights < 1e-6
    assert found.logs < 1e-6
    assert found.counters


def test_embedding_with_mask(compare, sentences):
    import keras

    layers = keras.layers

    def make() -> Any:
        model = keras.Sequential(
            [
                keras.Input((7,), dtype="int32"),
                layers.Embedding(11, 4, mask_zero=True),
                layers.Dense(1),
            ]
        )
        model.compile("adam", "mse", weighted_metrics=["mae"])
        return model

    found = compare(make, *sentences, rows=(4, 4), jit=True)
    assert found.weights < 1e-6
    assert found.logs < 1e-6
