"""A generator that ends in the middle of an epoch, and one that is shorter than steps_per_epoch."""

import keras
import numpy as np


def batches(count):
    for _ in range(count):
        x = np.random.normal(size=(np.random.randint(3, 9), 4)).astype("float32")
        yield x, x[:, :1]


model = keras.Sequential([keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(batches(11), epochs=1, verbose=0)
model.fit(batches(30), steps_per_epoch=8, epochs=5, verbose=0)
