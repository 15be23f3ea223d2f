"""An endless Python generator with its own random numbers."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(79)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def batches(seed):
    rng = np.random.default_rng(seed)
    while True:
        rows = rng.choice(48, size=8, replace=False)
        yield x[rows], y[rows]


history = model.fit(batches(5), steps_per_epoch=6, epochs=4, verbose=0)
keep(history=history, model=model)
