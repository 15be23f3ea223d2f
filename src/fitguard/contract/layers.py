"""What Keras keeps of layers, and of the symbolic tensors between them."""

from typing import Any


def flatten_layers(layer: Any) -> list[Any]:
    """A layer or model itself, then all layers inside of it."""
    return list(layer._flatten_layers())


def casts_floats(layer: Any) -> bool:
    """Whether floats are cast to what the layer computes in, before its own code gets them."""
    return bool(getattr(layer, "autocast", getattr(layer, "_autocast", False)))


def maker_of(tensor: Any) -> Any:
    """The layer or operation that a symbolic tensor comes from."""
    return tensor._keras_history[0]
