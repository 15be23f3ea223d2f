"""Two replicas, each with a share that it normalizes as a whole: `… OUT LIBRARY`.

Logical devices of the CPU stand for GPUs; they have one memory together.
"""

import importlib
import sys

import numpy as np
import tensorflow as tf

out, library = sys.argv[1:]
keras = importlib.import_module(library)
layers = keras.layers
if library == "tf_keras":  # otherwise Dropout hides what it draws from
    keras.backend.experimental.enable_tf_random_generator()
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
keras.utils.set_random_seed(12)
ROWS = 64


def network():
    """Blocks with connections around them."""
    given = value = keras.Input((32, 32, 3))
    for number in range(12):
        # Convolutions need scratch space on a CPU, of a size that hangs on its cache.
        new = layers.Dense(12)(value)
        new = layers.ReLU()(layers.BatchNormalization()(new))
        new = layers.Dropout(0.1)(new)
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    return keras.Model(given, layers.Dense(1, activation="sigmoid")(value))


with strategy.scope():
    model = network()
    model.compile(
        keras.optimizers.SGD(0.05, momentum=0.9), "binary_crossentropy", metrics=["accuracy"]
    )
x = np.random.default_rng(12).random((ROWS + 41, 32, 32, 3), dtype="float32")
y = (x.mean(axis=(1, 2, 3)) > 0.5).astype("float32")
history = model.fit(x, y, batch_size=ROWS, epochs=4, verbose=2)
values = model.weights if library == "tf_keras" else [v.value for v in model.weights]
np.savez(out, *[one.numpy() for v in values for one in v.values], **history.history)
