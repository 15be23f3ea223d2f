"""Layers that are made and built while the first step is traced: each draws a seed of Python's."""

import keras
import numpy as np


class Rows(keras.utils.PyDataset):
    def __len__(self):
        return 10

    def __getitem__(self, index):
        x = np.random.default_rng(index).normal(size=(8, 6)).astype("float32")
        return x, x[:, :2]


class Lazy(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = []
        self.end = keras.layers.Dense(2)

    def build(self, shape):
        self.blocks = [keras.layers.Dense(8, activation="gelu") for _ in range(3)]
        self.drop = keras.layers.Dropout(0.2)

    def call(self, inputs, training=False):
        for block in self.blocks:
            inputs = block(inputs)
        return self.end(self.drop(inputs, training=training))


model = Lazy()
model.compile(keras.optimizers.SGD(0.05, momentum=0.9), "mse", metrics=["mae"])
model.fit(Rows(workers=1), epochs=3, verbose=0)
