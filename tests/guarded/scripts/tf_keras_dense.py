"""Keras 2, as `tf_keras`."""

import sys

import numpy as np
import tensorflow as tf
import tf_keras
from tf_keras import layers

# Without it, Dropout draws from a source inside TensorFlow that nobody can read.
tf_keras.backend.experimental.enable_tf_random_generator()
tf_keras.utils.set_random_seed(9)
random = np.random.default_rng(9)
x = random.normal(size=(2000, 48)).astype("float32")
y = (x[:, :6].sum(axis=1) > 0).astype("int32")

model = tf_keras.Sequential(
    [
        tf_keras.Input((48,)),
        layers.Dense(512, activation="relu"),
        layers.BatchNormalization(),
        layers.Dropout(0.3),
        layers.Dense(512, activation="relu"),
        layers.Dense(2, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(x, y, batch_size=80, epochs=3, validation_split=0.2, verbose=2)

dataset = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(500).batch(80)
more = model.fit(
    dataset,
    epochs=2,
    verbose=2,
    callbacks=[tf_keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9**epoch)],
)
np.savez(sys.argv[1], *model.get_weights(), more=more.history["loss"], **history.history)
