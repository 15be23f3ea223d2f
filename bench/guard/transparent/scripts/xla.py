"""jit_compile=True, with dropout."""

import keras
import numpy as np

x = np.random.normal(size=(128, 8)).astype("float32")
model = keras.Sequential(
    [keras.layers.Dense(16, "relu"), keras.layers.Dropout(0.3), keras.layers.Dense(1)]
)
model.compile("adam", "mse", jit_compile=True)
model.fit(x, x[:, :1], epochs=3, batch_size=16, verbose=0)
