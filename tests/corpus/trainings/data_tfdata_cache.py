"""A cache in memory below a shuffle."""

import keras
import numpy as np
import tensorflow as tf
from keeping import keep

keras.utils.set_random_seed(56)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
dataset = tf.data.Dataset.from_tensor_slices((x, y)).map(lambda a, b: (a * 2, b)).cache()
dataset = dataset.shuffle(48, seed=5).batch(8).prefetch(tf.data.AUTOTUNE)
history = model.fit(dataset, epochs=5, verbose=0)
keep(history=history, model=model)
