"""What stateful recurrent layers remember from one batch to the next: a row for each row of it."""

from typing import Any

from fitguard.contract.held_variables import unwrap_variable
from fitguard.contract.layers import flatten_layers
from fitguard.contract.libraries import is_a, is_of_keras

_HOLDERS = ("states", "_states")
"""Where Keras 3 and Keras 2 hold them."""


def find_stateful(model: Any) -> list[Any]:
    """The layers of a model that say so of themselves; models of Keras 2 say it of their layers."""
    return [
        layer
        for layer in flatten_layers(model)
        if getattr(layer, "stateful", False) and not is_a(layer, "Model")
    ]


def is_recurrent(layer: Any) -> bool:
    """Whether its states have a row for each row of the batch, or it only wraps such layers."""
    return is_of_keras(type(layer)) and is_a(layer, "RNN", "Bidirectional")


def read_states(layer: Any) -> Any:
    """Its states, as nested as they may be; None where it holds none, or not yet."""
    import tensorflow as tf

    states = vars(layer).get(_holder(layer))
    flat = [unwrap_variable(state) for state in tf.nest.flatten(states)]
    return states if all(state is not None for state in flat) else None


def put_states(layer: Any, states: Any) -> None:
    """Have the layer find these. Not by `setattr`, which looks for variables in them."""
    vars(layer)[_holder(layer)] = states


def _holder(layer: Any) -> str:
    return next((name for name in _HOLDERS if name in vars(layer)), "")
