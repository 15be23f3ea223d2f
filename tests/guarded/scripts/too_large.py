"""A batch that needs more memory than its share: `too_large.py OUT KIND`."""

import sys

import keras
import numpy as np
from keras import layers

out, kind = sys.argv[1:3]
keras.utils.set_random_seed(12)
random = np.random.default_rng(12)


def dense():
    """Wide layers, few features."""
    x = random.normal(size=(9000, 16)).astype("float32")
    y = (x.sum(axis=1) > 0).astype("float32")
    body = [layers.Dense(512, activation="relu") for _ in range(3)]
    return [keras.Input((16,)), *body, layers.Dense(1, activation="sigmoid")], x, y, 4096


def normalized():
    """The same, with layers that look at the whole batch."""
    parts, *rest = dense()
    return [parts[0], layers.BatchNormalization(), *parts[1:]], *rest


def convolutional():
    """Small images, many maps."""
    x = random.random((520, 32, 32, 3), dtype="float32")
    y = (x.mean(axis=(1, 2, 3)) > 0.5).astype("float32")
    body = [layers.Conv2D(24, 3, activation="relu", padding="same") for _ in range(3)]
    head = [layers.GlobalAveragePooling2D(), layers.Dense(1, activation="sigmoid")]
    return [keras.Input((32, 32, 3)), *body, *head], x, y, 256


def recurrent():
    """Long sequences."""
    x = random.normal(size=(1300, 60, 8)).astype("float32")
    y = (x.sum(axis=(1, 2)) > 0).astype("float32")
    body = [layers.LSTM(64, return_sequences=True), layers.LSTM(32)]
    return [keras.Input((60, 8)), *body, layers.Dense(1, activation="sigmoid")], x, y, 512


class Attention(layers.Layer):
    """A block as in transformers."""

    def __init__(self):
        super().__init__()
        self.attention = layers.MultiHeadAttention(4, 16)
        self.norm = layers.LayerNormalization()

    def call(self, value):
        return self.norm(value + self.attention(value, value))


def attending():
    """The scores of all pairs."""
    x = random.integers(0, 40, (270, 128))
    y = (x[:, 0] > 20).astype("float32")
    body = [layers.Embedding(40, 32), Attention(), layers.GlobalAveragePooling1D()]
    return [keras.Input((128,)), *body, layers.Dense(1, activation="sigmoid")], x, y, 128


KINDS = {
    "dense": dense,
    "norm": normalized,
    "conv": convolutional,
    "lstm": recurrent,
    "attention": attending,
}
parts, x, y, batch = KINDS[kind]()
model = keras.Sequential(parts)
model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "binary_crossentropy")
history = model.fit(x, y, batch_size=batch, epochs=2, verbose=2)
np.savez(out, *model.get_weights(), **history.history)
