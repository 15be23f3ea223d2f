"""A generator of batches and a callback draw from the same random generator.

Announced: draws from rng, a random generator of its own
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(61)
rng = np.random.default_rng(7)
x = rng.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]
noise = []


def batches():
    while True:
        rows = rng.integers(0, len(x), 8)
        yield x[rows], y[rows]


class Draw(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        noise.append(float(rng.normal()))


model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
history = model.fit(batches(), steps_per_epoch=5, epochs=3, verbose=0, callbacks=[Draw()])
keep(history=history, noise=noise, model=model)
