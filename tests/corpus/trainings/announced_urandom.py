"""A callback draws from os.urandom.

Announced: urandom
"""

import os

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(45)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Jitter(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = 0.001 + os.urandom(1)[0] / 10000


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Jitter()])
keep(history=history, model=model)
