"""Several steps in one execution, a number that does not divide the epoch."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(25)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse", steps_per_execution=4)
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0)
keep(history=history, model=model)
