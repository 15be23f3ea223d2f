"""Clears its folder at the top, trains with checkpoints, and loads those of fits that ended."""

import shutil
import sys

import keras
import numpy as np

shutil.rmtree("out", ignore_errors=True)
keras.utils.set_random_seed(4)
x = np.random.default_rng(4).normal(size=(320, 8)).astype("float32")


def trained(epochs, **options):
    """The weights of a model that was trained with a checkpoint at each epoch."""
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(8)])
    model.compile("adam", "mse")
    checkpoint = keras.callbacks.ModelCheckpoint(**options)
    model.fit(x, x, batch_size=8, epochs=epochs, verbose=2, callbacks=[checkpoint])
    return model


def require_same(model, other):
    """What was loaded is what was trained."""
    for one, two in zip(model.get_weights(), other.get_weights(), strict=True):
        assert np.array_equal(one, two)


first = trained(2, filepath="out/best.keras")
require_same(first, keras.models.load_model("out/best.keras"))
second = trained(1, filepath="out/second.weights.h5", save_weights_only=True)
third = trained(40, filepath="out/best.keras")
require_same(third, keras.models.load_model("out/best.keras"))
first.load_weights("out/second.weights.h5")
require_same(first, second)
np.savez(sys.argv[1], *third.get_weights())
