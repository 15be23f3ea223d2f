"""The shape of the output of a chain of layers that is not built: what the layers alone tell."""

from collections.abc import Sequence
from typing import Any

from fitguard.inputs.models.kinds import kind, listed
from fitguard.schema.model import Shape

_FLAT = ("Flatten", "GlobalAveragePooling", "GlobalMaxPooling")
_SAME = listed(
    """
    Dropout Activation Softmax ReLU LeakyReLU ELU PReLU BatchNormalization
    LayerNormalization GaussianNoise ActivityRegularization Identity Masking Rescaling
    """
)


def shape_after(layers: Sequence[Any]) -> Shape | None:
    """With the batch axis; None where not even the rank can be told."""
    shape: Shape | None = None
    for layer in layers:
        shape = _behind(layer, shape)
    return shape


def _behind(layer: Any, shape: Shape | None) -> Shape | None:
    name = kind(layer)
    if name.startswith(_FLAT) and not getattr(layer, "keepdims", False):
        return (None, None)
    if name in ("LSTM", "GRU", "SimpleRNN") and not layer.return_state:
        units = int(layer.units)
        return (None, None, units) if layer.return_sequences else (None, units)
    if shape is None:
        return None
    if name == "Dense":
        return (*shape[:-1], int(layer.units))
    return shape if name in _SAME else None
