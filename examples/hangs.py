"""A training that hangs, once: a read from a network disk does not come back."""

import time
from pathlib import Path

import keras
import numpy as np

HUNG = Path("hung")


class Batches(keras.utils.PyDataset):
    """Batches of a slow disk."""

    def __len__(self):
        return 100

    def __getitem__(self, index):
        if index == 80 and not HUNG.exists():
            HUNG.touch()
            time.sleep(100_000)
        time.sleep(0.1)
        return np.full((32, 8), index, "float32"), np.ones((32, 1), "float32")


model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(16, "relu"), keras.layers.Dense(1)])
model.compile("adam", "mse")
model.fit(Batches(), epochs=2, shuffle=False, verbose=2)
print("done")
