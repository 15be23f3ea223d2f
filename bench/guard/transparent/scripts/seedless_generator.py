"""A Python generator that draws from `random` and NumPy's global generator."""

import random

import keras
import numpy as np


def batches():
    while True:
        x = np.random.normal(size=(16, 5)).astype("float32")
        yield x, (x[:, 0] > random.random()).astype("float32")


model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1, "sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["AUC"])
model.fit(batches(), steps_per_epoch=15, epochs=3, verbose=0)
