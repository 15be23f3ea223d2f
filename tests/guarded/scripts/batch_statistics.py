"""A batch that needs more memory than its share, normalized as a whole: `… OUT KIND`."""

import sys

import keras
import numpy as np
import tensorflow as tf
from keras import layers

out, kind = sys.argv[1:3]
keras.utils.set_random_seed(12)
random = np.random.default_rng(12)
ROWS = 64


def network():
    """Blocks with connections around them, for images of any size."""
    given = value = keras.Input((None, None, 3))
    for number in range(10):
        new = layers.Conv2D(12, 3, padding="same")(value)
        new = layers.ReLU()(layers.BatchNormalization()(new))
        new = layers.Dropout(0.1)(new)
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    return keras.Model(given, layers.Dense(1, activation="sigmoid")(value))


def batches(sides):
    """One batch for each side of its images."""
    for number, side in enumerate(sides):
        x = np.random.default_rng(number).random((ROWS, side, side, 3), dtype="float32")
        yield x, (x.mean(axis=(1, 2, 3)) > 0.5).astype("float32")


model = network()
model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "binary_crossentropy")
if kind == "all":
    x, y = next(batches([32]))
    x, y = np.concatenate([x, x[:20]]), np.concatenate([y, y[:20]])
    history = model.fit(x, y, batch_size=ROWS, epochs=3, verbose=2, validation_data=(x, y))
else:  # "growing": the first images are small
    signature = (
        tf.TensorSpec((ROWS, None, None, 3), tf.float32),
        tf.TensorSpec((ROWS,), tf.float32),
    )
    sides = [8] * 6 + [32] * 2
    data = tf.data.Dataset.from_generator(lambda: batches(sides), output_signature=signature)
    history = model.fit(data, epochs=2, verbose=2)
np.savez(out, *model.get_weights(), **history.history)
