"""A callback halves the rate of the optimizer, and another writes it into the logs."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(74)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Halve(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        optimizer = self.model.optimizer
        optimizer.learning_rate = float(optimizer.learning_rate) / 2


class Tell(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs["rate"] = float(self.model.optimizer.learning_rate)


history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=5,
    verbose=0,
    callbacks=[Tell(), Halve(), keras.callbacks.CSVLogger("log.csv")],
)
keep(history=history, model=model)
