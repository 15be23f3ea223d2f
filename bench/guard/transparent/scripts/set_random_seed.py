"""A script that seeds all itself, after some draws."""

import keras
import numpy as np

x = np.random.normal(size=(160, 5)).astype("float32")
keras.utils.set_random_seed(812)
model = keras.Sequential(
    [keras.layers.Dense(6, "relu"), keras.layers.GaussianDropout(0.2), keras.layers.Dense(1)]
)
model.compile("adam", "mse")
model.fit(x, x[:, :1], epochs=3, validation_split=0.2, verbose=0)
keras.utils.set_random_seed(813)
model.fit(x, x[:, :1], epochs=2, verbose=0)
