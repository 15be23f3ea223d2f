"""The last activation that an output went through."""

import re
from typing import Any

from fitguard.contract.libraries import PACKAGES, is_of_keras, package_of
from fitguard.inputs.models.asking import trait
from fitguard.inputs.models.graph import Graph
from fitguard.inputs.models.kinds import SAME_ACTIVATION, kind, split_names, unwrap_layer

_APPLIES_LAST = ("Dense", "EinsumDense", "Conv", "Depthwise", "Separable", "LocallyConnected")
_UNBOUNDED = split_names(
    """
    BatchNormalization LayerNormalization GroupNormalization RMSNormalization Embedding
    MultiHeadAttention GroupedQueryAttention GroupQueryAttention
    """
)
_SAME_IF_ALL = frozenset(("Concatenate", "Average", "tf.concat"))
_LINEAR_IF_ALL = frozenset(("Add", "Subtract", "tf.add", "tf.subtract"))
_KNOWN = split_names(
    """
    softmax sigmoid linear relu relu6 tanh softplus softsign elu selu gelu silu swish mish
    exponential hard_sigmoid hard_silu hard_tanh leaky_relu prelu log_softmax log_sigmoid
    celu glu tanh_shrink soft_shrink hard_shrink squareplus sparsemax sparse_plus threshold
    """
)


def last_activation(graph: Graph, value: int) -> str | None:
    """By name, as Keras spells it; `linear` where there is none, None where it cannot be told."""
    return _find_cached(graph, value, {})


def _find_cached(graph: Graph, value: int, known: dict[int, str | None]) -> str | None:
    # Ways that part and meet again are many: each value is looked at once.
    if value not in known:
        known[value] = _find_activation(graph, value, known)
    return known[value]


def _find_activation(graph: Graph, value: int, known: dict[int, str | None]) -> str | None:
    step = graph.maker(value)
    if step is None:
        return None
    layer = unwrap_layer(step.layer)
    name = kind(layer)
    own = own_activation(layer)
    if own is not None:
        return own
    if name in SAME_ACTIVATION:
        return _find_cached(graph, step.reads[0], known)
    if name in _SAME_IF_ALL | _LINEAR_IF_ALL:
        found = {_find_cached(graph, read, known) for read in step.reads}
        same = found.pop() if len(found) == 1 else None
        return same if name in _SAME_IF_ALL or same == "linear" else None
    return None


def own_activation(layer: Any) -> str | None:
    """The activation that a layer applies as the last thing it does; None where unknown."""
    name = kind(layer)
    if name.startswith("ConvLSTM"):
        return None
    if name == "Activation" or name.startswith(_APPLIES_LAST):
        return find_activation_name(trait(layer, "activation"))
    if name in _UNBOUNDED:
        return "linear"
    plain = snake_case(name.removeprefix("tf.").removesuffix("_v2"))
    return plain if plain in _KNOWN else None


def find_activation_name(activation: Any) -> str | None:
    """The name of an activation that is a function or a layer of Keras or TensorFlow."""
    if activation is None:
        return "linear"
    function = getattr(activation, "__name__", "")
    if function:
        plain = function.removesuffix("_v2")
        known = package_of(activation) in (*PACKAGES, "tensorflow") and plain in _KNOWN
        return plain if known else None
    return own_activation(activation) if is_of_keras(type(activation)) else None


def snake_case(name: str) -> str:
    """`LeakyReLU` is `leaky_relu`: as Keras derives names from classes."""
    name = name.replace("ReLU", "Relu")
    if name.isupper():
        return name.lower()
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return split.lower().replace("p_relu", "prelu")
