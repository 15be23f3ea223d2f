"""A plain number of a layer, which a callback changes; run_eagerly."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(48)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]


class Scale(keras.layers.Layer):
    factor = 1.0

    def call(self, inputs):
        return inputs * self.factor


class Shrink(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        scale.factor *= 0.8


scale = Scale()
model = keras.Sequential([keras.layers.Dense(8, "relu"), scale, keras.layers.Dense(1)])
model.compile("adam", "mse", run_eagerly=True)
history = model.fit(x, y, batch_size=12, epochs=4, verbose=0, callbacks=[Shrink()])
keep(history=history, factor=scale.factor, model=model)
