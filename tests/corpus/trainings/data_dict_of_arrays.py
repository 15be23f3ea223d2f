"""Inputs by name, in a dict."""

import keras
import numpy as np
from keeping import keep
from keras import layers

keras.utils.set_random_seed(65)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

first, second = keras.Input((4,), name="first"), keras.Input((4,), name="second")
output = layers.Dense(1)(layers.Concatenate()([first, layers.Dense(4, "relu")(second)]))
model = keras.Model([first, second], output)
model.compile("adam", "mse")
history = model.fit({"first": x, "second": x[::-1].copy()}, y, batch_size=8, epochs=4, verbose=0)
keep(history=history, model=model)
