"""A training that needs so much memory: `fleet_training.py OUT MIB EPOCHS SECONDS`.

After each epoch it waits for so many seconds, as a training waits for its GPU. Each epoch that it
trains is a line in OUT: one that is there twice was trained twice. Each start is a line in
OUT.starts, with the time and the cards of the node.
"""

import sys
import time
from pathlib import Path

out, mib, epochs, seconds = Path(sys.argv[1]), *map(int, sys.argv[2:4]), float(sys.argv[4])
with out.with_suffix(".starts").open("a") as file:
    file.write(f"{time.time()}\n")

import keras  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

keras.utils.set_random_seed(1)
held = tf.Variable(tf.zeros((max(mib - 40, 1), 2**18)))  # so many MiB, as long as it trains
x = np.random.default_rng(1).normal(size=(80, 16)).astype("float32")
model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(32), keras.layers.Dense(1)])
model.compile("adam", "mse")


def note(epoch: int, _: object) -> None:
    time.sleep(seconds)
    with out.open("a") as file:
        file.write(f"{epoch}\n")


noting = keras.callbacks.LambdaCallback(on_epoch_end=note)
model.fit(x, x[:, :1], batch_size=20, epochs=epochs, verbose=0, callbacks=[noting])
