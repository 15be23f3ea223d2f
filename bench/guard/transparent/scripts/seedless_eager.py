"""Eager steps, with Python's `random` inside of the step."""

import random

import keras
import numpy as np

x = np.random.normal(size=(96, 4)).astype("float32")


class Skipping(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(4)
        self.end = keras.layers.Dense(1)

    def call(self, inputs):
        if random.random() < 0.5:
            inputs = self.first(inputs)
        return self.end(inputs)


model = Skipping()
model.build((None, 4))
model.compile("sgd", "mse", run_eagerly=True)
model.fit(x, x[:, :1], batch_size=8, epochs=2, shuffle=False, verbose=0)
