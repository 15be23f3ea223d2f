"""One variable of TensorFlow, whatever Keras or a strategy wrapped around it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fitguard.contract.held_variables import read_into, replicas_of
from fitguard.memory.model_variables import variable_bytes

Lend = Callable[[tuple[int, ...], Any], np.ndarray]
"""Gives an array of this shape and dtype to be filled."""
_LEAST_BYTES = 1 << 20
"""Smaller values find room without the help of the kernel."""


def parts(name: str, variable: Any) -> dict[str, list[Any]]:
    """The variables that hold its value, by name: under a strategy, those of all replicas.

    Weights and what optimizers keep are the same on all replicas: they stand under one name.
    Metrics and statistics of batches are not, even where a strategy calls them mirrored.
    """
    replicas = replicas_of(variable)
    if len(replicas) < 2 or variable.trainable or "optimizer" in name:
        return {name: replicas}
    return {f"{name}@{number}": [replica] for number, replica in enumerate(replicas)}


def read(variable: Any, lend: Lend | None = None) -> np.ndarray:
    """A copy of its value in the memory of the host.

    Args:
        lend: Where to copy it; None for new memory.
    """
    if lend is not None and variable_bytes(variable) >= _LEAST_BYTES:
        dtype = variable.dtype.as_numpy_dtype
        array = read_into(variable, lambda: lend(tuple(variable.shape), dtype))
        if array is not None:
            return array
    return np.asarray(variable.numpy())


def write(variable: Any, value: np.ndarray) -> None:
    """Give it this value.

    TensorFlow may go on with the very memory of an array that it is given, and training would
    change it: it gets one of its own.
    """
    variable.assign(np.array(value))
