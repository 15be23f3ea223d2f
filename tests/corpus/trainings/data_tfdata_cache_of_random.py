"""A cache that holds what was drawn at random in the first epoch."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(86)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((x, y))
dataset = dataset.map(lambda a, b: (a + tf.random.normal((4,), seed=2), b)).cache().batch(8)
history = model.fit(dataset, epochs=4, verbose=0)
keep(history=history, model=model)
