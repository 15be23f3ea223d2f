"""TerminateOnNaN ends a training whose loss grows beyond all numbers."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(56)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(30.0), "mse")
history = model.fit(
    x, y, batch_size=8, epochs=6, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()]
)
keep(history=history, model=model)
