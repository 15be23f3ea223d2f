"""Two fits with a moving average of the weights."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(34)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.02, use_ema=True), "mse")
first = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
second = model.fit(x, y, batch_size=8, epochs=3, verbose=0)
keep(first=first, second=second, model=model)
