"""Clears its folder at the top, trains twice with checkpoints, and loads those of the first fit."""

import shutil
import sys

import keras
import numpy as np

shutil.rmtree("out", ignore_errors=True)
keras.utils.set_random_seed(4)
x = np.random.default_rng(4).normal(size=(960, 8)).astype("float32")


def trained(epochs, **options):
    """A model, trained with a checkpoint at each epoch."""
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(300), keras.layers.Dense(8)])
    model.compile("adam", "mse")
    checkpoint = keras.callbacks.ModelCheckpoint(**options)
    model.fit(x, x, batch_size=8, epochs=epochs, verbose=2, callbacks=[checkpoint])
    return model


trained(3, filepath="out/best.keras")
between = keras.models.load_model("out/best.keras").get_weights()
trained(1, filepath="out/first.weights.h5", save_weights_only=True)
last = trained(12, filepath="out/best.keras")
last.load_weights("out/first.weights.h5")
after = keras.models.load_model("out/best.keras").get_weights()
np.savez(sys.argv[1], *between, *last.get_weights(), *after)
