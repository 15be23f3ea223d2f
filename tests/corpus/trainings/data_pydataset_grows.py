"""A PyDataset whose data become harder with each epoch, by a plain number."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(46)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
PyDataset = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence


class Harder(PyDataset):
    def __init__(self):
        super().__init__()
        self.level, self.epochs = 1.0, 0

    def __len__(self):
        return 6

    def __getitem__(self, index):
        rows = slice(index * 8, index * 8 + 8)
        return x[rows] * self.level, y[rows]

    def on_epoch_end(self):
        self.epochs += 1
        self.level *= 0.9


harder = Harder()
history = model.fit(harder, epochs=5, verbose=0, shuffle=False)
keep(history=history, level=harder.level, epochs=harder.epochs, model=model)
