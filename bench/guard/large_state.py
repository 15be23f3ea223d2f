"""A training with so much state: `large_state.py MIB SECONDS`."""

import sys
import time
from typing import Any

import keras
import numpy as np

mib, seconds = int(sys.argv[1]), float(sys.argv[2])
# Weights and two moments of Adam, in four layers.
width = int((mib * 2**20 / 4 / 3 / 4) ** 0.5)
keras.utils.set_random_seed(1)
model = keras.Sequential([keras.Input((width,)), *(keras.layers.Dense(width) for _ in range(4))])
model.compile("adam", "mse", jit_compile=False)
ends = time.monotonic() + seconds


class Ending(keras.callbacks.Callback):
    """Stops it after so many seconds."""

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
        self.model.stop_training = time.monotonic() > ends


x = np.ones((8, width), "float32")
model.fit(x, x, batch_size=1, epochs=10_000, verbose=0, callbacks=[Ending()])
