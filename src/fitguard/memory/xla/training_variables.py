"""The variables of a training: they stay in memory between the steps."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fitguard.inputs.models.weights import leave_out_tables
from fitguard.memory.model_variables import optimizer_variables, variable_bytes


@dataclass(frozen=True)
class TrainingVariables:
    """Bytes of the variables.

    Args:
        weights: Of the model, of its metrics, and whatever else the step uses.
        optimizer: Of the optimizer.
        by_layer: Of the model's layers, by name: all weights, and those that are trained.
    """

    weights: int
    optimizer: int
    by_layer: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, model: Any, used: Iterable[Any] = ()) -> "TrainingVariables":
        """Of a model that is compiled, or None.

        Args:
            used: Variables that the step uses, in the model or not.
        """
        held = _by_identity(optimizer_variables(getattr(model, "optimizer", None)))
        others = _by_identity(used)
        if model is not None:
            others |= _by_identity(leave_out_tables(model.variables))
            for metric in model.metrics:
                others |= _by_identity(metric.variables)
        weights = [variable for key, variable in others.items() if key not in held]
        return cls(_sum(weights), _sum(held.values()), _by_layer(model))

    @property
    def shared_zeros(self) -> int:
        """What the first step needs beside all variables.

        Slots of one variable start as one and the same array of zeros. XLA cannot overwrite what
        is shared: both slots get new memory, and the zeros stay until the step is done.
        """
        trained = sum(part for _, part in self.by_layer.values())
        slots = round(self.optimizer / max(trained, 1))
        return self.optimizer // slots if slots > 1 else 0

    def optimizer_of(self, layer: str) -> int:
        """The optimizer's part for a layer: in proportion to what is trained of it."""
        trained = sum(part for _, part in self.by_layer.values())
        return self.optimizer * self.by_layer.get(layer, (0, 0))[1] // max(trained, 1)


def _by_identity(variables: Iterable[Any]) -> dict[int, Any]:
    """By the variable of TensorFlow that is inside, where it is one of Keras."""
    inner = (one if callable(one.value) else one.value for one in variables)
    return {id(variable): variable for variable in inner}


def _sum(variables: Any) -> int:
    return sum(variable_bytes(variable) for variable in variables)


def _by_layer(model: Any) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for layer in getattr(model, "layers", ()):
        if getattr(layer, "layers", None):
            found.update(_by_layer(layer))
        else:
            found[layer.name] = (
                _sum(leave_out_tables(layer.weights)),
                _sum(layer.trainable_weights),
            )
    return found
