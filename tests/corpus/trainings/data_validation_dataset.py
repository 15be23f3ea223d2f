"""Validation by a tf.data pipeline that shuffles, with few steps."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(53)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
valid = tf.data.Dataset.from_tensor_slices((x[:20], y[:20])).shuffle(20, seed=4).repeat().batch(5)
history = model.fit(
    x, y, batch_size=8, epochs=4, verbose=0, validation_data=valid, validation_steps=3
)
keep(history=history, model=model)
