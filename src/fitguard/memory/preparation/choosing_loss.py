"""A loss for a model that was not compiled: by what its outputs, and labels, look like."""

from collections.abc import Sequence
from typing import Any

from fitguard.memory.preparation.specs import Spec, lengths


def choose_losses(
    library: Any, outputs: Any, activations: Sequence[str | None], labels: Any
) -> tuple[Any, list[str]]:
    """Losses in the structure of the outputs, and their names.

    Args:
        library: The module `keras` or `tf_keras`.
        activations: The last one of each output, where it is known.
        labels: The specs of y; None where none were given.
    """
    import tensorflow as tf

    flat = tf.nest.flatten(outputs)
    given = tf.nest.flatten(labels) if labels is not None else []
    targets = given if len(given) == len(flat) else [None] * len(flat)
    known = activations if len(activations) == len(flat) else [None] * len(flat)
    names = [_name(*one) for one in zip(flat, known, targets, strict=True)]
    losses = [
        _build_loss(library, name, activation)
        for name, activation in zip(names, known, strict=True)
    ]
    return tf.nest.pack_sequence_as(outputs, losses), names


def _name(output: Spec, activation: str | None, labels: Spec | None) -> str:
    units = lengths(output)[-1] if output.shape.rank > 1 else 1
    if labels is not None:
        return _by_labels(output, activation, labels)
    if activation == "softmax" and units != 1:
        return "SparseCategoricalCrossentropy"
    return "BinaryCrossentropy" if activation == "sigmoid" else "MeanSquaredError"


def _by_labels(output: Spec, activation: str | None, labels: Spec) -> str:
    shape, target = lengths(output), lengths(labels)
    whole = labels.dtype.is_integer or labels.dtype.is_bool
    one_number = len(target) == len(shape) - 1 or target == (*shape[:-1], 1)
    if whole and one_number and shape[-1] != 1:
        return "SparseCategoricalCrossentropy"
    if activation == "sigmoid" or (whole and shape[-1] == 1):
        return "BinaryCrossentropy"
    return "CategoricalCrossentropy" if activation == "softmax" else "MeanSquaredError"


def _build_loss(library: Any, name: str, activation: str | None) -> Any:
    loss = getattr(library.losses, name)
    if name == "MeanSquaredError":
        return loss()
    # A subclassed model does not tell its activation: most end in logits, and the rest costs less.
    return loss(from_logits=activation not in ("softmax", "sigmoid"))
