"""A PyDataset with a generator of its own, for shuffling and for noise."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(87)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
PyDataset = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence


class Rows(PyDataset):
    def __init__(self):
        super().__init__()
        self.rng = np.random.default_rng(3)
        self.order = self.rng.permutation(48)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        rows = self.order[index * 8 : index * 8 + 8]
        return x[rows] + self.rng.normal(scale=0.05, size=(8, 4)).astype("float32"), y[rows]

    def on_epoch_end(self):
        self.rng.shuffle(self.order)


history = model.fit(Rows(), epochs=4, verbose=0, shuffle=False)
keep(history=history, model=model)
