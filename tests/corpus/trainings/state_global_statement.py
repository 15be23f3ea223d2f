"""`global x; x += 1` in a callback."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(97)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
steps = 0


def count(batch, logs):
    global steps
    steps += 1
    if steps > 9:
        model.optimizer.learning_rate = 0.02 / steps


history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=4,
    verbose=0,
    callbacks=[keras.callbacks.LambdaCallback(on_batch_end=count)],
)
keep(history=history, steps=steps, model=model)
