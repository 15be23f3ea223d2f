"""A callback writes into a file that it opened at the beginning."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(68)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Write(keras.callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.file = open("losses.txt", "w")

    def on_epoch_end(self, epoch, logs=None):
        self.file.write(f"{epoch} {logs['loss']:.6f}\n")
        self.file.flush()

    def on_train_end(self, logs=None):
        self.file.close()


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Write()])
keep(history=history, model=model)
