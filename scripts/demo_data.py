"""A model and data that do not fit together, for `make demo`."""

from typing import Any

import keras
import numpy as np


def make() -> dict[str, Any]:
    """The arguments of fit, with three faults that a GPU would not tell."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60_000, 20)).astype("float32")
    y = rng.integers(1, 11, 60_000)  # counted from 1
    x[48_213, 7] = np.nan
    model = keras.Sequential(
        [
            keras.layers.Input((20,), name="readings"),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(10, activation="softmax", name="kind"),
        ],
        name="sensor",
    )
    model.compile("adam", "sparse_categorical_crossentropy")
    held_out = 100 * rng.normal(size=(1_000, 20)), rng.integers(1, 11, 1_000)  # not scaled
    return {"model": model, "x": x, "y": y, "validation_data": held_out, "batch_size": 256}
