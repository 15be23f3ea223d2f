"""A PyDataset that Keras shuffles."""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(68)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
PyDataset = getattr(keras.utils, "PyDataset", None) or keras.utils.Sequence


class Rows(PyDataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return x[index * 8 : index * 8 + 8], y[index * 8 : index * 8 + 8]


history = model.fit(Rows(), epochs=4, verbose=0, shuffle=True)
keep(history=history, model=model)
