"""LearningRateScheduler with a function of epoch and rate."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(17)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def schedule(epoch, rate):
    return rate if epoch < 2 else rate * 0.5


history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=6,
    verbose=0,
    callbacks=[keras.callbacks.LearningRateScheduler(schedule)],
)
keep(history=history, model=model)
