"""A running generator at the top of the script, which a function of a callback draws from.

Announced: generator
"""

import itertools

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(68)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
rates = (0.02 / number for number in itertools.count(1))
history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=5,
    verbose=0,
    callbacks=[keras.callbacks.LearningRateScheduler(lambda epoch: next(rates))],
)
keep(history=history, model=model)
