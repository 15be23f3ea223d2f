"""The estimator of a step, in the mode in which it can run."""

from dataclasses import replace

import msgspec

from fitguard.memory.all_reduce import add_all_reduce
from fitguard.memory.estimate import Estimator
from fitguard.memory.graph.estimator import graph_estimator
from fitguard.memory.preparation import Preparation
from fitguard.memory.training import Training
from fitguard.memory.xla import NotCompilable, xla_estimator
from fitguard.schema.exit_codes import UsageError
from fitguard.words import say_error

_FOR_MODEL = (
    "Expected a model whose train_step runs as a graph with these data; model.train_on_batch shows "
    "the same error."
)
_FOR_FUNCTION = "Expected a function that runs as a tf.function with arguments like x."


class NotTraceable(UsageError):
    """The user's own code raised while the step was traced: the message says what."""


def estimator_of(training: Training, capability: str) -> Estimator:
    """Traces the step.

    Raises:
        NotCompilable: XLA should compile it, and cannot.
        NotTraceable: It cannot be traced at all.
    """
    try:
        if training.jit_compile:
            return add_all_reduce(training, xla_estimator(training))
        return add_all_reduce(training, graph_estimator(training, capability))
    except (UsageError, NotCompilable):
        raise
    except Exception as error:  # the user's code runs while it is traced
        expected = _FOR_MODEL if training.step is None else _FOR_FUNCTION
        raise NotTraceable(
            f"The training step could not be traced: {say_error(error)}\n{expected}"
        ) from error


def find_runnable(prepared: Preparation, capability: str) -> tuple[Preparation, Estimator]:
    """The step with its estimator; without XLA where XLA cannot compile it."""
    try:
        return prepared, estimator_of(prepared.training, capability)
    except NotCompilable as refused:
        plain = replace(prepared.training, jit_compile=False)
        reason = f"XLA cannot compile this step, so it is planned without. {refused}"
    step = msgspec.structs.replace(prepared.step, mode_reason=reason)
    return replace(prepared, training=plain, step=step), estimator_of(plain, capability)
