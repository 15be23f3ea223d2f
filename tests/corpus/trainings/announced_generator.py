"""A callback holds a running Python generator.

Announced: generator
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(10)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def rates():
    rate = 0.02
    while True:
        yield rate
        rate *= 0.8


class Take(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.rates = rates()

    def on_epoch_begin(self, epoch, logs=None):
        self.model.optimizer.learning_rate = next(self.rates)


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Take()])
keep(history=history, model=model)
