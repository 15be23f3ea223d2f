"""The script opens a report with mode x, and a callback renames its files."""

import os
from pathlib import Path

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(13)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
report = open("report.txt", "x")


class Rotate(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if os.path.exists("last.txt"):
            os.replace("last.txt", "before.txt")
        Path("last.txt").write_text(f"{epoch} {logs['loss']:.6f}")


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[Rotate()])
report.write("done")
report.close()
keep(history=history, model=model)
