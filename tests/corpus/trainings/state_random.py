"""A callback draws from its own random.Random."""

import random

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(78)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Jitter(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.random = random.Random(3)

    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = self.random.uniform(0.001, 0.02)


jitter = Jitter()
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[jitter])
keep(history=history, random=jitter.random, model=model)
