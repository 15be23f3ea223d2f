"""A training whose loss is nan: one value of a million is missing."""

from typing import Any

import keras
import numpy as np


def make() -> dict[str, Any]:
    """The model and the arguments of fit."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60_000, 20)).astype("float32")
    y = rng.integers(0, 10, 60_000)
    x[48_213, 7] = np.nan
    model = keras.Sequential(
        [
            keras.layers.Input((20,), name="readings"),
            keras.layers.Dense(64, activation="tanh"),
            keras.layers.Dense(10, activation="softmax", name="kind"),
        ],
        name="sensor",
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    held_out = 100 * rng.normal(size=(1_000, 20)), rng.integers(0, 10, 1_000)  # not scaled
    return {"model": model, "x": x, "y": y, "validation_data": held_out, "batch_size": 256}


if __name__ == "__main__":
    arguments = make()
    arguments.pop("model").fit(**arguments, epochs=2, verbose=2)
