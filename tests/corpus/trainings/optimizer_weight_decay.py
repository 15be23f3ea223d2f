"""AdamW, with the biases left out of the decay."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(15)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.build((None, 4))
optimizer = keras.optimizers.AdamW(0.02, weight_decay=0.1)
optimizer.exclude_from_weight_decay(var_names=["bias"])
model.compile(optimizer, "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
