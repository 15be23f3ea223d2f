"""MirroredStrategy on two logical CPUs."""

import keras
import numpy as np
import tensorflow as tf

cpu = tf.config.list_physical_devices("CPU")[0]
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
x = np.random.normal(size=(96, 4)).astype("float32")
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(6, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
model.fit(x, x[:, :1], epochs=3, batch_size=16, verbose=0)
