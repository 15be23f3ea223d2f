"""A list of a class that inherits from list."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(71)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Losses(list):
    def best(self):
        return min(self)


class Watch(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.losses = Losses()

    def on_epoch_end(self, epoch, logs=None):
        self.losses.append(logs["loss"])
        self.model.optimizer.learning_rate = 0.01 * self.losses.best()


watch = Watch()
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[watch])
keep(history=history, losses=list(watch.losses), kind=type(watch.losses).__name__, model=model)
