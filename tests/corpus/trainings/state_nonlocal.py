"""A counter that a closure changes with nonlocal."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(16)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def counting():
    steps = 0

    def on_batch_end(batch, logs):
        nonlocal steps
        steps += 1
        if steps % 5 == 0:
            model.optimizer.learning_rate = 0.01 / steps

    return on_batch_end


history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=4,
    verbose=0,
    callbacks=[keras.callbacks.LambdaCallback(on_batch_end=counting())],
)
keep(history=history, model=model)
