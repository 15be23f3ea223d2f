"""Sequences from a `PyDataset` that shuffles itself after each epoch."""

import sys

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(3)


class Sequences(keras.utils.PyDataset):
    """Sums of a random walk; rows in an order of its own."""

    def __init__(self, rows, batch_size, **options):
        super().__init__(**options)
        self.random = np.random.default_rng(3)
        self.walks = self.random.normal(size=(rows, 24, 8)).astype("float32").cumsum(axis=1)
        self.sums = self.walks[:, -1].sum(axis=1, keepdims=True) / 30
        self.batch_size = batch_size
        self.order = self.random.permutation(rows)

    def __len__(self):
        return len(self.order) // self.batch_size

    def __getitem__(self, index):
        rows = self.order[index * self.batch_size : (index + 1) * self.batch_size]
        return self.walks[rows], self.sums[rows]

    def on_epoch_end(self):
        self.random.shuffle(self.order)


model = keras.Sequential(
    [
        keras.Input((24, 8)),
        layers.LSTM(48, return_sequences=True),
        layers.Dropout(0.2),
        layers.LSTM(32),
        layers.Dense(1),
    ]
)
model.compile(keras.optimizers.RMSprop(1e-3, momentum=0.5), "mae")
history = model.fit(Sequences(640, 32), epochs=5, verbose=2)
np.savez(sys.argv[1], *model.get_weights(), **history.history)
