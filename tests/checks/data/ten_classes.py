"""Points of ten classes, sorted by class or mixed, and a small model that tells them apart."""

from typing import Any

import numpy as np

CLASSES, COLUMNS = 10, 16


def points(samples: int = 2000, *, mixed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """x and y; sorted by class unless mixed."""
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(CLASSES, COLUMNS))
    y = np.repeat(np.arange(CLASSES), samples // CLASSES)
    x = (centres[y] + chance.normal(size=(len(y), COLUMNS))).astype("float32")
    order = chance.permutation(len(y)) if mixed else slice(None)
    return x[order], y[order]


def classifier() -> Any:
    """Sixteen columns into ten classes."""
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((COLUMNS,), name="point"),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dense(CLASSES, activation="softmax", name="kind"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def accuracy(*data: Any, epochs: int = 3, **fitting: Any) -> float:
    """How well a new model knows all points after a training."""
    model = classifier()
    model.fit(*data, epochs=epochs, verbose=0, **fitting)
    return float(model.evaluate(*points(), verbose=0)[1])
