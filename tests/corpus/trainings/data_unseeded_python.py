"""No seed: random and NumPy decide about data and rates.

Unseeded
"""

import random

import keras
import numpy as np
from keeping import keep

x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * random.choice([1.0, 2.0, 3.0])
model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Jitter(keras.callbacks.Callback):
    def on_epoch_begin(self, epoch, logs=None):
        rate = random.uniform(0.001, 0.02) + np.random.uniform(0.0, 0.001)
        self.model.optimizer.learning_rate = rate


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Jitter()])
keep(history=history, model=model)
