"""A PyDataset read by several processes, in order.

Needs: 3.5
"""

import keras
import numpy as np
from keeping import keep

keras.utils.set_random_seed(64)
x = np.random.normal(size=(48, 4)).astype("float32")
y = x[:, :1] * 2 - x[:, 1:2]

model = keras.Sequential([keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")


class Rows(keras.utils.PyDataset):
    def __len__(self):
        return 6

    def __getitem__(self, index):
        return x[index * 8 : index * 8 + 8], y[index * 8 : index * 8 + 8]


rows = Rows(workers=2, use_multiprocessing=True)
history = model.fit(rows, epochs=3, verbose=0, shuffle=False)
keep(history=history, model=model)
