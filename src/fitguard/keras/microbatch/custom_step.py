"""A `train_step` that the user wrote: its own code runs on each piece, the optimizer waits.

The gradients that it would apply are weighted by rows and added up. That equals the whole batch
where its loss is a mean over rows.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import tensorflow as tf

from fitguard.contract.training2 import read_trained_variables
from fitguard.keras.microbatch.split import Split
from fitguard.schema.exit_codes import UsageError

_METHODS = ("apply", "apply_gradients", "minimize")


def gradients_of_own_step(model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
    """Gradients of the piece, their variables, and what the step returned."""
    calls: list[tuple[list[Any], list[Any]]] = []
    with _waiting(model.optimizer, calls):
        logs = model.train_step(data)
    if len(calls) != 1:
        raise UsageError(
            f"Received: a train_step of {type(model).__name__} that applies gradients"
            f" {len(calls)} times with model.optimizer. Expected: once. Its batch cannot be cut"
            " into micro-batches: use a smaller batch."
        )
    gradients, variables = calls[0]
    weighted = [_weight_gradient(gradient, split.share) for gradient in gradients]
    return weighted, variables, logs


@contextlib.contextmanager
def _waiting(optimizer: Any, calls: list[tuple[list[Any], list[Any]]]) -> Iterator[None]:
    """Write down what the optimizer is told to do, instead of doing it."""

    def apply(gradients: Any, trainable_variables: Any = None, **_: Any) -> None:
        variables = trainable_variables or read_trained_variables(optimizer)
        calls.append((list(gradients), list(variables)))

    def apply_gradients(grads_and_vars: Any, **_: Any) -> Any:
        gradients, variables = zip(*grads_and_vars, strict=True)
        calls.append((list(gradients), list(variables)))
        return optimizer.iterations

    def minimize(loss: Any, var_list: Any, tape: Any = None, **_: Any) -> Any:
        pairs = optimizer.compute_gradients(loss, var_list, tape)
        return apply_gradients(pairs)

    replaced = {"apply": apply, "apply_gradients": apply_gradients, "minimize": minimize}
    names = [name for name in _METHODS if hasattr(optimizer, name)]
    for name in names:
        object.__setattr__(optimizer, name, replaced[name])
    try:
        yield
    finally:
        for name in names:
            object.__delattr__(optimizer, name)


def _weight_gradient(gradient: Any, share: Any) -> Any:
    if gradient is None:
        return None
    weight = tf.cast(share, gradient.dtype)
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * weight, gradient.indices, gradient.dense_shape)
    return gradient * weight
