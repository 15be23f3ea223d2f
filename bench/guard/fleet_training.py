"""A training that needs so much memory: `fleet_training.py OUT MIB EPOCHS`.

Each epoch that it trains is a line in OUT: one that is there twice was trained twice.
"""

import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf

out, mib, epochs = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
keras.utils.set_random_seed(1)
held = tf.Variable(tf.zeros((max(mib - 40, 1), 2**18)))  # so many MiB, as long as it trains
x = np.random.default_rng(1).normal(size=(400, 16)).astype("float32")
model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32), keras.layers.Dense(1)])
model.compile("adam", "mse")


def note(epoch: int, _: object) -> None:
    with out.open("a") as file:
        file.write(f"{epoch}\n")


noting = keras.callbacks.LambdaCallback(on_epoch_end=note)
model.fit(x, x[:, :1], batch_size=20, epochs=epochs, verbose=0, callbacks=[noting])
