"""A training that crashes in native code, once, in its sixth epoch."""

import ctypes
from pathlib import Path

import keras
import numpy as np

CRASHED = Path("crashed")


class Crash(keras.callbacks.Callback):
    """Reads from a null pointer, as a bug of a driver or a library does."""

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == 5 and not CRASHED.exists():
            CRASHED.touch()
            ctypes.string_at(0)


rng = np.random.default_rng(0)
x, y = rng.normal(size=(20_000, 40)), rng.normal(size=(20_000, 1))
model = keras.Sequential(
    [keras.Input((40,)), keras.layers.Dense(512, "relu"), keras.layers.Dense(1)]
)
model.compile("adam", "mse")
model.fit(x, y, batch_size=32, epochs=8, verbose=2, callbacks=[Crash()])
print("done")
