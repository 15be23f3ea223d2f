"""A PyDataset with several threads, whose batches follow from their number."""

import keras
import numpy as np


class Rows(keras.utils.PyDataset):
    def __init__(self):
        super().__init__(workers=3, max_queue_size=4)

    def __len__(self):
        return 15

    def __getitem__(self, index):
        x = np.random.default_rng(index).normal(size=(8, 4)).astype("float32")
        return x, x[:, :1], np.abs(x[:, 0])


model = keras.Sequential(
    [keras.layers.Dense(6, "relu"), keras.layers.Dropout(0.1), keras.layers.Dense(1)]
)
model.compile("adam", "mse")
model.fit(Rows(), epochs=3, validation_data=Rows(), verbose=0)
