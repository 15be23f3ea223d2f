"""How many weights a model has, and what it computes in."""

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.tensors import dtype_of

_NARROWEST_FIRST = ("float16", "bfloat16", "float64")


@dataclass(frozen=True)
class Weights:
    """Numbers of scalars, and the bytes of all; None where they do not exist yet."""

    all: int | None = None
    trainable: int | None = None
    size_bytes: int | None = None


def weights_of(model: Any) -> Weights:
    """The weights of a model whose layers are all built."""
    if not has_all_weights(model):
        return Weights()
    return ask(
        lambda: _count_weights(leave_out_tables(model.weights), model.trainable_weights), Weights()
    )


def leave_out_tables(weights: Iterable[Any]) -> list[Any]:
    """Without the vocabularies of lookup layers, which Keras 2 lists too: they are no tensors."""
    return [weight for weight in weights if hasattr(weight, "shape")]


def has_all_weights(model: Any) -> bool:
    """Whether the model and all layers in it have their weights."""
    return all(trait(part, "built", False) for part in (model, *sublayers(model)))


def _count_weights(weights: list[Any], trainable: list[Any]) -> Weights:
    return Weights(
        sum(map(_scalars, weights)),
        sum(map(_scalars, trainable)),
        sum(_scalars(weight) * _width_bytes(dtype_of(weight)) for weight in weights),
    )


def _scalars(weight: Any) -> int:
    return math.prod(int(length) for length in weight.shape)


def _width_bytes(dtype: str) -> int:
    import tensorflow as tf

    return int(tf.as_dtype(dtype).size)


def compute_dtype(model: Any) -> str:
    """What the layers with weights compute in: of several, the one that overflows first."""
    layers = [layer for layer in sublayers(model) if trait(layer, "weights")]
    return narrowest({trait(layer, "compute_dtype") for layer in layers or [model]}) or "float32"


def narrowest(dtypes: Collection[Any]) -> str | None:
    """The one of several dtypes that overflows first; None where all are plain float32."""
    return next((dtype for dtype in _NARROWEST_FIRST if dtype in dtypes), None)
