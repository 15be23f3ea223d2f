"""Weights for samples, and validation data with weights too."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(85)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse", weighted_metrics=["mae"])
weights = np.random.uniform(0.1, 2.0, 48).astype("float32")
valid = (x[:12], y[:12], weights[:12])
history = model.fit(
    x, y, batch_size=8, epochs=4, verbose=0, sample_weight=weights, validation_data=valid
)
keep(history=history, model=model)
