"""Small models, each with what `fit` gets for it."""

import numpy as np
import tensorflow as tf
from library import keras

layers = keras.layers
_random = np.random.default_rng(4)


def arrays():
    """Arrays that Keras shuffles; layers with state of their own."""
    x = _random.normal(size=(480, 16)).astype("float32")
    y = (x[:, :4].sum(axis=1) > 0).astype("float32")
    model = keras.Sequential(
        [
            keras.Input((16,)),
            layers.Dense(32, activation="relu"),
            layers.BatchNormalization(),
            layers.Dropout(0.3, seed=7),
            layers.Dense(1, activation="sigmoid"),
        ]
    )
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    return model, {"x": x, "y": y, "batch_size": 32, "validation_split": 0.2}


def images():
    """Images from tf.data: shuffled, turned at random, read ahead."""
    pixels = _random.random((240, 8, 8, 3), dtype="float32")
    labels = (pixels[..., 0].mean(axis=(1, 2)) * 40).astype("int32") % 4
    dataset = tf.data.Dataset.from_tensor_slices((pixels, labels)).shuffle(100).map(_turn)
    model = keras.Sequential(
        [
            keras.Input((8, 8, 3)),
            layers.Conv2D(6, 3, activation="relu", padding="same"),
            layers.Conv2D(8, 3, strides=2, activation="relu"),
            layers.Flatten(),
            layers.Dense(4),
        ]
    )
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9), loss, metrics=["accuracy"])
    return model, {"x": dataset.batch(16).prefetch(tf.data.AUTOTUNE)}


def _turn(image, label):
    return tf.image.random_flip_left_right(image), label


class Sums(getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence):
    """A PyDataset, which is a Sequence in Keras 2, that shuffles its rows after each epoch."""

    def __init__(self):
        super().__init__()
        self.random = np.random.default_rng(3)
        self.rows = self.random.normal(size=(320, 8)).astype("float32")

    def __len__(self):
        return 16

    def __getitem__(self, index):
        rows = self.rows[index * 20 : index * 20 + 20]
        return rows, rows.sum(axis=1, keepdims=True)

    def on_epoch_end(self):
        self.random.shuffle(self.rows)


def sequence():
    """Batches that Python makes, in an order that Keras draws."""
    hidden = layers.Dense(16, activation="tanh")
    model = keras.Sequential([keras.Input((8,)), hidden, layers.Dense(1)])
    model.compile(keras.optimizers.RMSprop(2e-3), "mae")
    return model, {"x": Sums(), "shuffle": True}


def large():
    """Wide layers, few features, and a batch that needs tens of megabytes."""
    x = _random.normal(size=(6144, 16)).astype("float32")
    y = (x.sum(axis=1) > 0).astype("float32")
    body = [layers.Dense(512, activation="relu") for _ in range(3)]
    model = keras.Sequential([keras.Input((16,)), *body, layers.Dense(1, activation="sigmoid")])
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "binary_crossentropy")
    return model, {"x": x, "y": y, "batch_size": 4096}


def label_out_of_range():
    """Four classes, and one label that is 4."""
    model, _ = images()
    labels = _random.integers(0, 4, 64)
    labels[37] = 4
    return model, _random.random((64, 8, 8, 3), dtype="float32"), labels
