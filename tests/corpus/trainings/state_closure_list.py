"""A function in a closure decides, by a list that only it knows, what the rate is."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(99)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def make_callback():
    losses = []

    def on_epoch_end(epoch, logs):
        losses.append(logs["loss"])
        model.optimizer.learning_rate = 0.01 * min(losses)

    return keras.callbacks.LambdaCallback(on_epoch_end=on_epoch_end)


history = model.fit(x, y, batch_size=8, epochs=5, verbose=0, callbacks=[make_callback()])
keep(history=history, model=model)
