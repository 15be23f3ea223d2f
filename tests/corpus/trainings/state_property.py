"""A property with a setter that refuses what is too large."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(59)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Rate(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self._rate = 0.02

    @property
    def rate(self):
        return self._rate

    @rate.setter
    def rate(self, value):
        self._rate = min(value, 0.03)
        self.model.optimizer.learning_rate = self._rate

    def on_epoch_end(self, epoch, logs=None):
        self.rate = self.rate * 1.2


rate = Rate()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[rate])
keep(history=history, rate=rate.rate, model=model)
