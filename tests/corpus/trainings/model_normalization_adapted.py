"""A Normalization layer that is adapted first, spectral penalties, and noise."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(74)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

norm = layers.Normalization()
norm.adapt(x)
model = keras.Sequential(
    [
        norm,
        layers.Dense(8, "relu", kernel_regularizer="l2"),
        layers.GaussianDropout(0.2),
        layers.Dense(1),
    ]
)
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
