"""A count that the class of a callback holds, for all of its objects."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(11)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Count(keras.callbacks.Callback):
    calls = 0
    names = []

    def __init__(self, name):
        super().__init__()
        self.name = name

    def on_epoch_end(self, epoch, logs=None):
        Count.calls += 1
        self.names.append(f"{self.name}{epoch}")
        self.model.optimizer.learning_rate = 0.01 / Count.calls


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[Count("a"), Count("b")])
keep(history=history, calls=Count.calls, names=Count.names, model=model)
