"""One variable of TensorFlow, whatever Keras or a strategy wrapped around it."""

from typing import Any

import numpy as np

from fitguard.contract.held_variables import replicas_of


def parts(name: str, variable: Any) -> dict[str, list[Any]]:
    """The variables that hold its value, by name: under a strategy, those of all replicas.

    Weights and what optimizers keep are the same on all replicas: they stand under one name.
    Metrics and statistics of batches are not, even where a strategy calls them mirrored.
    """
    replicas = replicas_of(variable)
    if len(replicas) < 2 or variable.trainable or "optimizer" in name:
        return {name: replicas}
    return {f"{name}@{number}": [replica] for number, replica in enumerate(replicas)}


def read(variable: Any) -> np.ndarray:
    """A copy of its value in the memory of the host."""
    return np.asarray(variable.numpy())


def write(variable: Any, value: np.ndarray) -> None:
    """Give it this value.

    TensorFlow may go on with the very memory of an array that it is given, and training would
    change it: it gets one of its own.
    """
    variable.assign(np.array(value))
