"""Validation by an endless generator of equal batches: reading ahead changes nothing."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(40)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


def valid():
    while True:
        yield x[:8], y[:8]


history = model.fit(
    x, y, batch_size=8, epochs=5, verbose=0, validation_data=valid(), validation_steps=3
)
keep(history=history, model=model)
