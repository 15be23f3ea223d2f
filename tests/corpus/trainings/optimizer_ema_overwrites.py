"""SGD that overwrites the weights by their average every 5 steps."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(10)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
optimizer = keras.optimizers.SGD(0.05, use_ema=True, ema_momentum=0.9, ema_overwrite_frequency=5)
model.compile(optimizer, "mse")
history = model.fit(x, y, batch_size=8, epochs=5, verbose=0)
keep(history=history, model=model)
