"""Validation by a PyDataset that shuffles itself with a global generator."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(66)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
PyDataset = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence


class Valid(PyDataset):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        rows = np.random.randint(0, 48, 8)
        return x[rows], y[rows]


history = model.fit(x, y, batch_size=8, epochs=4, verbose=0, validation_data=Valid())
keep(history=history, model=model)
