"""Several replicas on one machine: `mirrored.py OUT KIND LIBRARY REPLICAS [FILE]`.

Logical devices of the CPU stand for GPUs. Where there is a FILE, it says how many replicas there
are: as after a GPU was left out, another number in a later attempt.
"""

import importlib
import pathlib
import sys

import numpy as np
import tensorflow as tf

out, kind, library, replicas, *told = sys.argv[1:]
keras = importlib.import_module(library)
layers = keras.layers
if library == "tf_keras":  # otherwise Dropout hides what it draws from
    keras.backend.experimental.enable_tf_random_generator()
count = int(pathlib.Path(told[0]).read_text()) if told else int(replicas)
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * count)
strategy = tf.distribute.MirroredStrategy([f"CPU:{number}" for number in range(count)])
keras.utils.set_random_seed(3)
random = np.random.default_rng(3)


def dense():
    x = random.normal(size=(600, 8)).astype("float32")
    return [layers.Dense(16, activation="relu"), layers.Dropout(0.3)], x


def convolutional():
    x = random.random((360, 12, 12, 3), dtype="float32")
    body = [layers.Conv2D(6, 3), layers.BatchNormalization(), layers.ReLU(), layers.Flatten()]
    return body, x


def recurrent():
    x = random.normal(size=(360, 9, 4)).astype("float32")
    return [layers.LSTM(8)], x


def attending():
    x = random.normal(size=(360, 6, 8)).astype("float32")
    inputs = keras.Input(x.shape[1:])
    attended = layers.MultiHeadAttention(2, 4)(inputs, inputs)
    return [keras.Model(inputs, attended), layers.GlobalAveragePooling1D()], x


kinds = {"dense": dense, "conv": convolutional, "lstm": recurrent, "attention": attending}
with strategy.scope():
    body, x = kinds[kind]()
    model = keras.Sequential([layers.Input(x.shape[1:]), *body, layers.Dense(1)])
    model.compile(keras.optimizers.Adam(1e-2), "mse", metrics=["mae"])
y = x.reshape(len(x), -1).mean(axis=1)
history = model.fit(x, y, batch_size=24, epochs=8, verbose=2)
own = [one for v in model.weights for one in getattr(getattr(v, "value", v), "values", [v])]
np.savez(out, *[one.numpy() for one in own], **history.history)
