"""A training that a test runs in a process of its own, and in its own: leaving.py WEIGHTS WAY

WAY says what happens after step 5 of 8: nothing, `memory` runs out, or somebody asks the process
to `leave`; or after the last, to leave at the `end`.
"""

import os
import signal
import sys
from pathlib import Path

import keras
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2]))
from guarded.limited import limit, limited


class SecondEpoch(keras.callbacks.Callback):
    def __init__(self, way):
        super().__init__()
        self.epoch, self.way = 0, way

    def on_epoch_begin(self, epoch, *_):
        self.epoch = epoch

    def on_train_batch_end(self, batch, **_):
        place = (self.way, self.epoch, batch)
        if place == ("memory", 1, 0):
            limit().assign(4)
        if place in (("leave", 1, 0), ("end", 1, 3)):
            os.kill(os.getpid(), signal.SIGTERM)


def train(weights, way):
    keras.utils.set_random_seed(1)
    layers = keras.layers
    parts = [layers.Dense(3), layers.Dropout(0.2), limited(keras), layers.Dense(1)]
    model = keras.Sequential([layers.Input((2,)), *parts])
    model.compile("adam", "mse")
    x = np.random.default_rng(0).normal(size=(24, 2)).astype("float32")
    model.fit(x, x[:, 0], batch_size=6, epochs=2, verbose=0, callbacks=[SecondEpoch(way)])
    np.savez(weights, *model.get_weights())


if __name__ == "__main__":
    train(*sys.argv[1:])
