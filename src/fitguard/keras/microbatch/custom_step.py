"""A step that the user wrote: its own code runs on each piece, the optimizer waits.

It is a `train_step` of a model, or a function of a loop. The gradients that it would apply are
weighted and added up. A trial on a few rows tells whether they are a mean over rows or a sum.
"""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import tensorflow as tf

from fitguard.contract.held_variables import unwrap_variable
from fitguard.contract.own_functions import captured_handles, find_other_optimizers
from fitguard.contract.training2 import read_trained_variables
from fitguard.keras.microbatch.identity import identities
from fitguard.keras.microbatch.split import STEP, Split
from fitguard.schema.exit_codes import UsageError

_METHODS = ("apply", "apply_gradients", "minimize")
_CLIPPED = (
    "The step clips gradients before it applies them. With micro-batches, those of each micro-batch"
    " are clipped by themselves. Let the optimizer clip them instead: it takes global_clipnorm,"
    " clipnorm and clipvalue."
)
_READ_LATER = (
    "The step reads weights after it has applied the gradients ({}). With micro-batches, these are"
    " still the weights from before the step. Do this outside of the step."
)


@dataclass
class _Calls:
    """What the optimizer was told to do.

    Args:
        graph: Of the step.
        operations: That were in it before.
        are_conditional: Whether it was told inside of a condition, a loop, or another function.
    """

    graph: Any
    pairs: list[tuple[list[Any], list[Any]]] = field(default_factory=list)
    operations: int = 0
    are_conditional: bool = False

    def note(self, gradients: Any, variables: Any) -> None:
        self.pairs.append((list(gradients), list(variables)))
        graph = tf.compat.v1.get_default_graph()
        self.operations = len(graph.get_operations())
        self.are_conditional = self.are_conditional or graph is not self.graph


def take_own_step(model: Any, data: Any, split: Split) -> tuple[list[Any], list[Any], Any]:
    """Gradients of the piece, weighted; their variables; and what the step returned.

    Where no trial tells what they are, they count as a mean over rows.
    """
    calls = _Calls(split.graph)
    others = find_other_optimizers(model.optimizer) if split.tried else []
    with _waiting(model.optimizer, calls), _refusing(others):
        returned = model.train_step(data)
    _require_one(calls, model)
    _require_own_weights(calls, model)
    gradients, variables = calls.pairs[0]
    weight = split.share
    if split.tried:
        _look_at_graph(calls, split)
        value = _project(gradients) if split.trial else tf.zeros(())
        weight = split.weight_of_item(value, STEP)
    return [_weight_gradient(gradient, weight) for gradient in gradients], variables, returned


def _require_one(calls: _Calls, model: Any) -> None:
    times = len(calls.pairs)
    if times == 1 and not calls.are_conditional:
        return
    name = getattr(model, "step_name", f"a train_step of {type(model).__name__}")
    when = f"{times} times" if times != 1 else "in a condition, a loop or another tf.function"
    raise UsageError(
        f"Received: {name} that applies gradients {when} with its optimizer. Expected: once."
        " Its batch cannot be cut into micro-batches: use a smaller batch."
    )


def _require_own_weights(calls: _Calls, model: Any) -> None:
    own = {one for weight in model.trainable_weights for one in identities(unwrap_variable(weight))}
    for variable in calls.pairs[0][1]:
        if not identities(unwrap_variable(variable)) <= own:
            raise UsageError(
                f"Received: a step that trains {variable.name}, which is not among the trainable"
                f" weights of the model that was given. Expected: a model that has all of them."
            )


@contextlib.contextmanager
def _waiting(optimizer: Any, calls: _Calls) -> Iterator[None]:
    """Write down what the optimizer is told to do, instead of doing it."""

    def apply(gradients: Any, trainable_variables: Any = None, **_: Any) -> None:
        calls.note(gradients, trainable_variables or read_trained_variables(optimizer))

    def apply_gradients(grads_and_vars: Any, **_: Any) -> Any:
        calls.note(*zip(*grads_and_vars, strict=True))
        return optimizer.iterations

    def minimize(loss: Any, var_list: Any, tape: Any = None, **_: Any) -> Any:
        pairs = optimizer.compute_gradients(loss, var_list, tape)
        return apply_gradients(pairs)

    with _replaced(optimizer, apply=apply, apply_gradients=apply_gradients, minimize=minimize):
        yield


@contextlib.contextmanager
def _refusing(optimizers: list[Any]) -> Iterator[None]:
    """No other optimizer may be told anything: it would be told so for each piece."""
    with contextlib.ExitStack() as replaced:
        for optimizer in optimizers:

            def refuse(*_: Any, name: str = type(optimizer).__name__, **__: Any) -> None:
                raise UsageError(
                    f"Received: a step that applies gradients with an optimizer, {name}, that is"
                    " not the one it was said to train with. Expected: one optimizer, and the one"
                    " that was given. If the step uses several, its batch cannot be cut into"
                    " micro-batches: make one step for each, or use a smaller batch."
                )

            replaced.enter_context(_replaced(optimizer, **dict.fromkeys(_METHODS, refuse)))
        yield


@contextlib.contextmanager
def _replaced(optimizer: Any, **methods: Any) -> Iterator[None]:
    names = [name for name in methods if hasattr(optimizer, name)]
    for name in names:
        object.__setattr__(optimizer, name, methods[name])
    try:
        yield
    finally:
        for name in names:
            object.__delattr__(optimizer, name)


def _look_at_graph(calls: _Calls, split: Split) -> None:
    """Note what a step does around the application of its gradients that parts do not give."""
    gradients, variables = calls.pairs[0]
    if any(_is_clipped(gradient) for gradient in gradients if gradient is not None):
        split.findings.note(_CLIPPED)
    handles = {one for variable in variables for one in identities(unwrap_variable(variable))}
    captured = captured_handles(calls.graph)
    for operation in calls.graph.get_operations()[calls.operations :]:
        if any(captured.get(given.op.name) in handles for given in operation.inputs):
            split.findings.note(_READ_LATER.format(operation.name))
            return


def _is_clipped(gradient: Any) -> bool:
    """Whether it is what a function of TensorFlow that clips has given, and not a layer's part."""
    name = (gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient).op.name
    return "clip_by_" in name and "gradient_tape/" not in name


def _project(gradients: list[Any]) -> Any:
    """One number that depends on each number of the gradients, in a way of its own."""
    return tf.add_n([_project_one(one) for one in gradients if one is not None] or [tf.zeros(())])


def _project_one(gradient: Any) -> Any:
    if isinstance(gradient, tf.IndexedSlices):
        values, rows = gradient.values, gradient.indices
    else:
        values, rows = tf.reshape(gradient, [1, -1]), tf.zeros((1,), tf.int32)
    values = tf.reshape(tf.cast(values, tf.float32), [tf.shape(rows)[0], -1])
    width = tf.shape(values)[1]
    places = tf.cast(rows, tf.int32)[:, None] * width + tf.range(width)[None]
    return tf.reduce_sum(values * tf.cos(tf.cast(places, tf.float32)))


def _weight_gradient(gradient: Any, share: Any) -> Any:
    if gradient is None:
        return None
    weight = tf.cast(share, gradient.dtype)
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(gradient.values * weight, gradient.indices, gradient.dense_shape)
    return gradient * weight
