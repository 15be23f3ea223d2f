"""All variables that the next step of a model depends on."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fitguard.keras.state import tensors
from fitguard.keras.state.replicas import adapt_replicas
from fitguard.keras.state.walk import variables_by_way
from fitguard.memory.model_variables import variable_bytes


class ModelState:
    """Reads and writes the variables of a model, and of all that belongs to it.

    Weights, statistics, seed generators, metrics, optimizers with their slots, loss scale and
    averages, variables and generators in attributes; of Keras 3 and tf_keras, under a strategy or
    not. Values are read and written one by one: the GPU needs no room for it.

    Args:
        model: Anything that variables can be reached from; a loop may give a dict of its own.
    """

    def __init__(self, model: Any) -> None:
        self._model = model

    def variables(self) -> dict[str, Any]:
        """Each once, by names that are the same in each process that runs the same script.

        Layers and optimizers of tf_keras make some of theirs at the first step only.
        """
        return dict(variables_by_way(self._model))

    def read(self, lend: tensors.Lend | None = None) -> dict[str, np.ndarray]:
        """Copies of all values, in the memory of the host.

        Args:
            lend: Where to copy the large ones; None for new memory.
        """
        return {name: tensors.read(ones[0], lend) for name, ones in self._places().items()}

    def size_bytes(self) -> int:
        """Of what `read` gives."""
        return sum(variable_bytes(ones[0]) for ones in self._places().values())

    def missing(self, arrays: Mapping[str, np.ndarray]) -> list[str]:
        """Names that the model has no variable for, or not yet."""
        return sorted(self._adapt(arrays).keys() - self._places().keys())

    def more_than(self, arrays: Mapping[str, np.ndarray]) -> list[str]:
        """Names of variables that have no value among them: made since, perhaps."""
        return sorted(self._places().keys() - self._adapt(arrays).keys())

    def misfit(self, arrays: Mapping[str, np.ndarray]) -> str:
        """Says where a value cannot be that of a variable; empty where all can."""
        arrays = self._adapt(arrays)
        for name, variables in self._places().items():
            if name not in arrays:
                continue
            expected = (tuple(variables[0].shape), variables[0].dtype.as_numpy_dtype)
            received = (arrays[name].shape, arrays[name].dtype)
            if expected[0] != received[0] or np.dtype(expected[1]) != received[1]:
                return (
                    f"The variable {name} has the shape {expected[0]} and dtype "
                    f"{np.dtype(expected[1])} here, {received[0]} and {received[1]} in the "
                    "snapshot. The script builds another model than before."
                )
        return ""

    def write(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Assign them, on every replica. Variables that are not among them are left.

        They may be of more or fewer replicas.
        """
        arrays = self._adapt(arrays)
        for name, variables in self._places().items():
            if name in arrays:
                for variable in variables:
                    tensors.write(variable, arrays[name])

    def extra(self) -> dict[str, Any]:
        """What is no variable: whether the model was told to stop."""
        return {"stop_training": bool(getattr(self._model, "stop_training", False))}

    def write_extra(self, extra: Mapping[str, Any]) -> None:
        """Put back what `extra` gave."""
        if hasattr(self._model, "stop_training"):
            self._model.stop_training = bool(extra.get("stop_training", False))

    def _adapt(self, arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
        return adapt_replicas(arrays, variables_by_way(self._model))

    def _places(self) -> dict[str, list[Any]]:
        return places(self._model)


def places(root: Any) -> dict[str, list[Any]]:
    """The variables that belong to `root`, on all replicas, by the name of their value."""
    found: dict[str, list[Any]] = {}
    for name, variable in variables_by_way(root):
        found.update(tensors.parts(name, variable))
    return found
