"""Tensors instead of arrays, with a split for validation made by hand."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(47)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
inputs, target = tf.constant(x), tf.constant(y)
history = model.fit(
    inputs[12:],
    target[12:],
    validation_data=(inputs[:12], target[:12]),
    batch_size=8,
    epochs=4,
    verbose=0,
)
keep(history=history, model=model)
