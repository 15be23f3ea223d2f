"""The script writes its data to disk, if they are not there, and trains from there."""

import os

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(42)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
if not os.path.exists("data/x.npy"):
    os.makedirs("data")
    np.save("data/x.npy", x)
    np.save("data/y.npy", y)
x, y = np.load("data/x.npy"), np.load("data/y.npy")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
