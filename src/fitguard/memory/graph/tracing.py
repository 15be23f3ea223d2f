"""Traces the training step once, for a batch that can be told from every other number."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fitguard.contract.gpu_presence import gpu_supposed
from fitguard.inputs.models.weights import leave_out_tables
from fitguard.memory.graph.text_rows import telling_rows
from fitguard.memory.model_variables import replacing_update, variable_bytes
from fitguard.memory.training import Training

PRIMES = (1009, 1013, 1019, 1021, 1031, 1033, 1039)
"""One of them stands for the batch: a size that it divides grows with the batch."""


MARK = "fitguard_update"
"""The name scope of the assignments that stand for updates."""

Kind = tuple[str, tuple[int, ...]]
"""Dtype and shape of a variable."""


MANY, SMALL_BYTES = 100, 64 * 1024
"""Of a model with many variables, the updates of the small ones are left out: they take time here,
and next to no memory there."""


@dataclass(frozen=True)
class Update:
    """The update of a variable as a function of its gradient."""

    function: Any
    variable: Any


@dataclass(frozen=True)
class Traced:
    """A traced step.

    Args:
        function: TensorFlow's concrete function. The update of each variable by the optimizer is
            one operation in it, an assignment of the gradient.
        prime: The batch size that it was traced with.
        updates: The real update of variables of each kind.
    """

    function: Any
    prime: int
    updates: dict[Kind, Update]


def trace(training: Training) -> Traced:
    """The step as a graph; nothing of it is run."""
    import tensorflow as tf

    prime = training.only_batch_size or _prime(training)
    traced = tf.function(training.run, autograph=training.autograph)
    optimizer = getattr(training.model, "optimizer", None)
    many = training.model is not None and len(training.model.trainable_variables) > MANY
    least_bytes = SMALL_BYTES if many else 0
    with (
        gpu_supposed(),
        telling_rows(training.model),
        _tracing_updates_apart(optimizer, least_bytes) as updates,
    ):
        function = traced.get_concrete_function(training.specs(prime))
    return Traced(function, prime, updates)


def _prime(training: Training) -> int:
    """A batch size that no axis of a variable or of the data has anything to do with."""
    import tensorflow as tf

    variables = [] if training.model is None else leave_out_tables(training.model.variables)
    axes = {axis for variable in variables for axis in variable.shape}
    axes |= {axis for spec in tf.nest.flatten(training.data) for axis in spec.shape if axis}
    return next(prime for prime in PRIMES if not any(axis % prime == 0 for axis in axes))


@contextlib.contextmanager
def _tracing_updates_apart(optimizer: Any, least_bytes: int) -> Iterator[dict[Kind, Update]]:
    """Inside, the optimizer's update of a variable becomes one assignment.

    Updates are most of the operations of a step, and the same for all variables of a shape: the
    first of a kind is traced apart, for variables of at least so many bytes.
    """
    if not hasattr(optimizer, "update_step"):
        yield {}
        return
    optimizer = getattr(optimizer, "inner_optimizer", optimizer)
    whole = optimizer.update_step
    updates: dict[Kind, Update] = {}

    def update_step(gradient: Any, variable: Any, *rate: Any) -> Any:
        import tensorflow as tf

        if isinstance(gradient, tf.IndexedSlices):  # of an Embedding: its rows alone
            return whole(gradient, variable, *rate)
        kind = (tf.as_dtype(variable.dtype).name, tuple(variable.shape))
        if kind not in updates and variable_bytes(variable) >= least_bytes:
            updates[kind] = _update(whole, gradient, variable, rate)
        with tf.name_scope(MARK):
            return variable.assign_sub(tf.cast(gradient, variable.dtype))

    with replacing_update(optimizer, update_step):
        yield updates


def _update(whole: Any, gradient: Any, variable: Any, rate: tuple[Any, ...]) -> Update:
    import tensorflow as tf

    with tf.init_scope():
        step = tf.function(
            lambda given: whole(given, variable, *(0.001 for _ in rate)), autograph=False
        )
        spec = tf.TensorSpec(gradient.shape, gradient.dtype)
        return Update(step.get_concrete_function(spec), variable)
