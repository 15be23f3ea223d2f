"""Validation in every third epoch, with EarlyStopping on the loss."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(69)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
stop = keras.callbacks.EarlyStopping("loss", patience=2)
history = model.fit(
    x,
    y,
    batch_size=8,
    epochs=7,
    verbose=0,
    validation_split=0.25,
    validation_freq=3,
    callbacks=[stop],
)
keep(history=history, model=model)
