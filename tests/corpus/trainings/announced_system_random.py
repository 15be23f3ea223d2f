"""A callback draws from random.SystemRandom.

Announced: SystemRandom
"""

import random

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(96)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Jitter(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.random = random.SystemRandom()

    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = self.random.uniform(0.001, 0.02)


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Jitter()])
keep(history=history, model=model)
