"""A few steps by train_on_batch between two fits."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(44)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
losses = [float(np.ravel(model.train_on_batch(x[:8], y[:8]))[0]) for _ in range(5)]
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
keep(first=first, losses=losses, second=second, model=model)
