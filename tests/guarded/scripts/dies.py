"""A training that dies, once in each of these ways: `dies.py OUT 20:segfault 40:abort …`."""

import ctypes
import os
import sys
import time
from pathlib import Path

import keras
import numpy as np
from keras import layers

out, *deaths = sys.argv[1:]


def fail():
    raise RuntimeError("the file of labels went away")


def lose_gpu():
    """As the driver tells it, in our own output: here is no GPU whose kernel could log it."""
    sys.stderr.write("NVRM: Xid (PCI:0000:01:00): 94, pid=1, Contained: SM ECC error\n")
    sys.stderr.flush()
    os.abort()


WAYS = {
    "xid": lose_gpu,
    "segfault": lambda: ctypes.string_at(0),
    "abort": os.abort,
    "exit": lambda: os._exit(3),
    "exception": fail,
    "hang": lambda: time.sleep(3600),
}


class Trouble(keras.callbacks.Callback):
    """Comes once: the second time its mark is there."""

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        for death in deaths:
            step, _, way = death.partition(":")
            mark = Path(f"{out}.{way}")
            if self.model.optimizer.iterations == int(step) and not mark.exists():
                mark.touch()
                while not list(Path(out).parent.glob("runs/*/snapshots/*.snapshot")):
                    time.sleep(0.05)
                WAYS[way]()


keras.utils.set_random_seed(11)
random = np.random.default_rng(11)
x = random.normal(size=(1500, 64)).astype("float32")
y = x[:, :4].sum(axis=1, keepdims=True)
model = keras.Sequential(
    [
        keras.Input((64,)),
        layers.Dense(400, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(1),
    ]
)
model.compile("adam", "mse")
history = model.fit(x, y, batch_size=50, epochs=4, verbose=2, callbacks=[Trouble()])
np.savez(out, *model.get_weights(), **history.history)
