"""A PyDataset that fit shuffles, and a model whose first trace makes an unseeded generator."""

import keras
import numpy as np


class Rows(keras.utils.PyDataset):
    def __len__(self):
        return 12

    def __getitem__(self, index):
        x = np.random.default_rng(index).normal(size=(16, 4)).astype("float32")
        return x, x[:, :1]


class Noisy(keras.layers.Layer):
    def call(self, inputs):
        return inputs + 0.1 * keras.random.uniform(keras.ops.shape(inputs))


model = keras.Sequential([keras.layers.Dense(4), Noisy(), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(Rows(), epochs=3, verbose=0)
