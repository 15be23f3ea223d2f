"""A PyDataset that shuffles its own order at the end of each epoch."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(93)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
PyDataset = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence


class Rows(PyDataset):
    def __init__(self):
        super().__init__()
        self.order = np.arange(48)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        rows = self.order[index * 8 : index * 8 + 8]
        return x[rows], y[rows]

    def on_epoch_end(self):
        np.random.shuffle(self.order)


rows = Rows()
history = model.fit(rows, epochs=5, verbose=0, shuffle=False)
keep(history=history, order=rows.order, model=model)
