"""Optimizers with state beside the slots: Nadam, centered RMSprop, Ftrl, Adamax."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(14)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

made = [
    keras.optimizers.Nadam(0.02),
    keras.optimizers.RMSprop(0.02, centered=True, momentum=0.5),
    keras.optimizers.Ftrl(0.1, l1_regularization_strength=0.01),
    keras.optimizers.Adamax(0.02),
]
told = []
for optimizer in made:
    model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
    model.compile(optimizer, "mse")
    told.append([model.fit(x, y, batch_size=12, epochs=2, verbose=0), model])
keep(told=told)
