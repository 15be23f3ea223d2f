"""Gradients cut by norm, by value, and all together, in three fits."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(16)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
histories = []
for clip in ({"clipnorm": 0.1}, {"clipvalue": 0.05}, {"global_clipnorm": 0.2}):
    model.compile(keras.optimizers.SGD(0.2, momentum=0.9, **clip), "mse")
    histories.append(model.fit(x, y, batch_size=8, epochs=2, verbose=0))
keep(histories=histories, model=model)
