"""Validation data that are built late, evaluate and predict in a callback; nothing is seeded."""

import random

import keras
import numpy as np

x = np.random.normal(size=(120, 4)).astype("float32")
y = x @ np.random.normal(size=(4, 1)).astype("float32")


class Looking(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.evaluate(x[:40], y[:40], verbose=0)
        self.model.predict(x[: random.randint(8, 40)], verbose=0)


class Noisy(keras.layers.Layer):
    def call(self, inputs, training=False):
        return inputs + 0.1 * keras.random.normal(keras.ops.shape(inputs)) if training else inputs


model = keras.Sequential([keras.layers.Dense(8, "relu"), Noisy(), keras.layers.Dense(1)])
model.compile("adam", "mse", metrics=[keras.metrics.RootMeanSquaredError()])
model.fit(x, y, epochs=3, shuffle=False, validation_data=(x, y), callbacks=[Looking()], verbose=0)
