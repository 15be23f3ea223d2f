"""mixed_float16 with the scaled loss of Keras."""

import keras
import numpy as np

keras.mixed_precision.set_global_policy("mixed_float16")
x = np.random.normal(size=(120, 8)).astype("float32")
model = keras.Sequential([keras.layers.Dense(16, "relu"), keras.layers.Dense(1, dtype="float32")])
model.compile("adam", "mse")
model.fit(x, x[:, :1], epochs=4, batch_size=16, verbose=0)
