"""Adam that keeps a moving average of the weights, and puts it in place at the end."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(93)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.Adam(0.02, use_ema=True, ema_momentum=0.7), "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
