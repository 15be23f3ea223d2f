"""A plain number of a layer, traced into the graph once; a callback changes it for the next fit."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(91)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Scale(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.factor = 1.0

    def call(self, inputs):
        return inputs * self.factor


class Shrink(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        scale.factor *= 0.8


scale = Scale()
model = keras.Sequential([keras.layers.Dense(8, "relu"), scale, keras.layers.Dense(1)])
model.compile("adam", "mse")
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=[Shrink()])
model.compile("adam", "mse")
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=[Shrink()])
keep(first=first, second=second, factor=scale.factor, model=model)
