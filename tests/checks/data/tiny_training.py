"""Tiny models and data, real ones, and what a training of them gives."""

from typing import Any

import numpy as np

from fitguard.schema.data import DataReport
from fitguard.schema.finding import Finding

SAMPLES = 64
BATCH = 16


def table(columns: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Columns near 0, and their sum as label."""
    x = np.random.default_rng(7).normal(size=(SAMPLES, columns)).astype("float32")
    return x, x.sum(axis=1, keepdims=True)


def tokens(rows: int = 10, steps: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Indices from 1 to rows - 1, and a label that depends on them."""
    x = np.random.default_rng(7).integers(1, rows, size=(SAMPLES, steps)).astype("int32")
    return x, (x.mean(axis=1, keepdims=True) / rows).astype("float32")


def changed(array: np.ndarray, place: tuple[int, ...], value: float) -> np.ndarray:
    """A copy with another value in one place."""
    copy = array.copy()
    copy[place] = value
    return copy


def regression(
    columns: int = 4, optimizer: str = "sgd", activation: str = "relu", **compiling: Any
) -> Any:
    """A table into one number."""
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((columns,), name="table"),
            keras.layers.Dense(8, activation=activation),
            keras.layers.Dense(1, name="price"),
        ]
    )
    model.compile(optimizer=optimizer, loss="mse", **compiling)
    return model


def of_words(*layers: Any, dtype: str = "int32", mask_zero: bool = False, **compiling: Any) -> Any:
    """Six tokens of ten into one number; the layers behind the Embedding must end the sequence."""
    import keras

    keras.utils.set_random_seed(1)
    model = keras.Sequential(
        [
            keras.Input((6,), dtype=dtype, name="tokens"),
            keras.layers.Embedding(10, 4, mask_zero=mask_zero, name="words"),
            *(layers or (keras.layers.GlobalAveragePooling1D(),)),
            keras.layers.Dense(1, name="score"),
        ]
    )
    model.compile(optimizer="sgd", loss="mse", **compiling)
    return model


def losses(model: Any, *data: Any, epochs: int = 2, **fitting: Any) -> list[float]:
    """Train, and give the loss of each epoch."""
    history = model.fit(*data, batch_size=BATCH, epochs=epochs, verbose=0, **fitting).history
    return list(history["loss"])


def only(report: DataReport, code: str) -> Finding:
    """The one finding of a report, which must have this code."""
    assert [finding.code for finding in report.findings] == [code]
    return report.findings[0]
