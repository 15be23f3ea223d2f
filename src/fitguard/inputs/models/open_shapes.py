"""The shape of the output of a chain of layers that is not built: what the layers alone tell."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from fitguard.inputs.models.asking import ask, name_of
from fitguard.inputs.models.kinds import kind, split_names
from fitguard.schema.model import Shape

_FEWEST = 2
_COUNTING = ("Conv", "LSTM", "GRU", "SimpleRNN", "MaxPooling", "AveragePooling", "Global")
_FLAT = ("Flatten", "GlobalAveragePooling", "GlobalMaxPooling")
_SAME = split_names(
    """
    Dropout Activation Softmax ReLU LeakyReLU ELU PReLU BatchNormalization
    LayerNormalization GaussianNoise ActivityRegularization Identity Masking Rescaling
    """
)


# These tell the shape of their output from that of their input, without being built.
_TELLING = (
    *("Conv", "MaxPooling", "AveragePooling", "ZeroPadding", "UpSampling", "Cropping"),
    *("Flatten", "Reshape", "Permute", "RepeatVector", "Embedding", "GlobalAveragePooling"),
    "GlobalMaxPooling",
)


def shape_after(layers: Sequence[Any], shape: Shape | None = None) -> Shape | None:
    """With the batch axis; None where not even the rank can be told.

    Args:
        shape: Of what the first layer gets, where that is known.
    """
    if shape is not None and len(shape) < least_axes(layers).axes:
        return None
    for layer in layers:
        shape = _find_shape_after(layer, shape)
    return shape


def units_of(layers: Sequence[Any]) -> int | None:
    """The length of the last axis behind the last layer, whatever comes in."""
    for layer in reversed(layers):
        if kind(layer) == "Dense":
            return int(layer.units)
        if kind(layer) not in _SAME:
            return None
    return None


class LeastAxes(NamedTuple):
    """The axes that a layer needs, the batch's included; 0 where any number will do."""

    axes: int = 0
    layer: str | None = None


def least_axes(layers: Sequence[Any]) -> LeastAxes:
    """What the first layer that changes the shape needs."""
    for layer in layers:
        if kind(layer) in _SAME:
            continue
        wanted = layer.input_spec if kind(layer).startswith(_COUNTING) else None
        # Recurrent layers of Keras 2 keep a list.
        wanted = wanted[0] if isinstance(wanted, list) else wanted
        known = getattr(wanted, "ndim", None) or getattr(wanted, "min_ndim", None)
        if known is not None and known > _FEWEST:
            return LeastAxes(int(known), name_of(layer))
        return LeastAxes()
    return LeastAxes()


def _find_shape_after(layer: Any, shape: Shape | None) -> Shape | None:
    name = kind(layer)
    if shape is not None and name.startswith(_TELLING):
        return ask(lambda: tuple(layer.compute_output_shape(shape)), None)
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
