"""A small model whose steps run out of memory, really, and trainings with it."""

import keras
import numpy as np
from guarded.limited import limited

from fitguard.keras.state.model_state import ModelState

BATCH = 12


def new_model(*, batch_statistics=False, library=keras):
    """Random numbers and statistics move in front of the layer that needs the memory."""
    library.utils.set_random_seed(7)
    layers = library.layers
    middle = [layers.BatchNormalization()] if batch_statistics else []
    parts = [layers.Dense(4), layers.Dropout(0.4), *middle, limited(library), layers.Dense(1)]
    model = library.Sequential([layers.Input((3,)), *parts])
    model.compile(library.optimizers.Adam(0.05), "mse", metrics=["mae"])
    return model


def train(model, **more):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2 * BATCH + 5, 3)).astype("float32")
    given = {"batch_size": BATCH, "epochs": 2, "verbose": 0, **more}
    return model.fit(x, x.sum(axis=1), **given)


def values(model):
    return list(ModelState(model).read().values())
