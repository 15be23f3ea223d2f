"""Data and a callback draw from NumPy's generator in turns: nothing is read ahead here."""

import keras
import numpy as np
import tensorflow as tf


def noise(row):
    return row + np.random.normal(size=row.shape).astype("float32")


def prepared(row):
    row = tf.ensure_shape(tf.numpy_function(noise, [row], tf.float32), (3,))
    return row, row[:1]


class Jitter(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = 0.01 * np.random.random()

    def on_train_batch_end(self, batch, logs=None):
        np.random.random()


x = np.random.normal(size=(240, 3)).astype("float32")
data = tf.data.Dataset.from_tensor_slices(x).map(prepared).batch(8)
options = tf.data.Options()
options.autotune.enabled = False
options.experimental_optimization.apply_default_optimizations = False
options.threading.private_threadpool_size = 1
data = data.with_options(options)
model = keras.Sequential([keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(data, epochs=6, callbacks=[Jitter()], verbose=0)
