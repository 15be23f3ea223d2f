"""A fixed factor for the loss.

Needs: 3.5
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(32)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile(keras.optimizers.SGD(0.02, loss_scale_factor=64.0), "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
