"""A training that waits for its data."""

import time

import keras
import tensorflow as tf

model = keras.Sequential([keras.layers.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse", jit_compile=False)


def read():
    for _ in range(16):
        time.sleep(0.05)
        yield tf.zeros((8, 4)), tf.zeros((8, 1))


shapes = (tf.TensorSpec((8, 4)), tf.TensorSpec((8, 1)))
model.fit(tf.data.Dataset.from_generator(read, output_signature=shapes), verbose=0)
