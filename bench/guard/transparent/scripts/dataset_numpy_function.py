"""map with numpy_function and py_function that draw from NumPy and `random`, filter, interleave."""

import random

import keras
import numpy as np
import tensorflow as tf


def noise(row):
    return row + np.random.normal(size=row.shape).astype("float32")


def scaled(row):
    return row * random.random()


def prepared(row):
    row = tf.ensure_shape(tf.numpy_function(noise, [row], tf.float32), (3,))
    row = tf.ensure_shape(tf.py_function(scaled, [row], tf.float32), (3,))
    return row, row[:1]


x = np.random.normal(size=(120, 3)).astype("float32")
data = tf.data.Dataset.from_tensor_slices(x).map(prepared)
data = data.filter(lambda row, _: row[0] > -1.0).batch(8)
model = keras.Sequential([keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, epochs=3, verbose=0)
