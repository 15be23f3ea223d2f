"""LambdaCallback that collects losses in lists of the script."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(20)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
losses, ends = [], []
collect = keras.callbacks.LambdaCallback(
    on_batch_end=lambda batch, logs: losses.append(float(logs["loss"])),
    on_epoch_end=lambda epoch, logs: ends.append((epoch, len(losses))),
)
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, callbacks=[collect])
keep(history=history, losses=losses, ends=ends, model=model)
