"""A schedule of Keras with warm restarts."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(22)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
rate = keras.optimizers.schedules.CosineDecayRestarts(0.1, first_decay_steps=5, t_mul=1.5)
model.compile(keras.optimizers.SGD(rate, momentum=0.9, nesterov=True), "mse")
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0)
keep(history=history, rate=rate(model.optimizer.iterations), model=model)
