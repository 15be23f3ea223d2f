"""A small training with a seed: `small.py OUT SEED EPOCHS [FILE]`; slow until the file is there."""

import sys
import time
from pathlib import Path

import keras
import numpy as np


def train(out, seed, epochs, file="", callbacks=()):
    """The same, as a function."""
    keras.utils.set_random_seed(seed)
    x = np.random.default_rng(seed).normal(size=(400, 16)).astype("float32")
    model = keras.Sequential(
        [
            keras.Input((16,)),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dropout(0.2),
            keras.layers.Dense(1),
        ]
    )
    model.compile("adam", "mse")

    def slow_down(batch, logs=None):  # noqa: ARG001
        if file and not Path(file).exists():
            time.sleep(0.1)

    slow = keras.callbacks.LambdaCallback(on_train_batch_end=slow_down)
    history = model.fit(
        x, x[:, :1], batch_size=20, epochs=epochs, verbose=0, callbacks=[slow, *callbacks]
    )
    np.savez(out, *model.get_weights(), **history.history)


if __name__ == "__main__":
    train(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
