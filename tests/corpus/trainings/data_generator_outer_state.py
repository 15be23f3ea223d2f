"""An endless generator that keeps its place in a list of the script and draws from a global."""

import random

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(46)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
seen, rng = [], random.Random(2)


def batches():
    while True:
        start = rng.randrange(40)
        seen.append(start)
        yield x[start : start + 8], y[start : start + 8]


history = model.fit(batches(), steps_per_epoch=6, epochs=4, verbose=0)
keep(history=history, trained=seen[:24], model=model)
