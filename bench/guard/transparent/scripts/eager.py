"""run_eagerly with arrays and dropout."""

import keras
import numpy as np

x = np.random.normal(size=(80, 4)).astype("float32")
model = keras.Sequential(
    [keras.layers.Dense(4, "relu"), keras.layers.Dropout(0.4), keras.layers.Dense(1)]
)
model.compile("adam", "mse", run_eagerly=True, metrics=["mae"])
model.fit(x, x[:, :1], epochs=2, batch_size=16, validation_split=0.2, verbose=0)
