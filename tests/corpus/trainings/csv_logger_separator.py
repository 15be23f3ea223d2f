"""CSVLogger with a semicolon, beside a callback that adds to the logs."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(79)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Rate(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        logs["rate"] = 0.1 / (epoch + 1)


history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=5,
    verbose=0,
    callbacks=[Rate(), keras.callbacks.CSVLogger("log.csv", separator=";")],
)
keep(history=history, model=model)
