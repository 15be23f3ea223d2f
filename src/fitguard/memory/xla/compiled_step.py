"""The training step as HLO, the language that XLA compiles; nothing is executed."""

import re
from dataclasses import dataclass, field
from typing import Any

from fitguard.contract.gpu_presence import gpu_supposed
from fitguard.contract.graphs import lower_to_hlo
from fitguard.memory.training import Training
from fitguard.memory.xla.small_updates import cutting_small_updates


class NotCompilable(Exception):
    """XLA cannot compile this step, on a GPU as little as here.

    Args:
        operation: The operation that XLA has no kernel for; empty where that is not known.
    """

    def __init__(self, message: str, operation: str = "") -> None:
        super().__init__(message)
        self.operation = operation


@dataclass(frozen=True)
class CompiledStep:
    """A step that is traced once with an open batch size and lowered for any.

    Args:
        functions: What was traced, by batch size; None is the open one.
    """

    training: Training
    functions: dict[int | None, Any] = field(default_factory=dict)

    def module(self, batch_size: int) -> Any:
        """The `HloModuleProto` of the whole step at this batch size, before XLA optimises it."""
        import tensorflow as tf

        _check_shapes(self.training)
        specs = tf.nest.flatten(self.training.specs(batch_size))
        function = self._function(batch_size)
        try:
            return lower_to_hlo(function, specs)
        except (tf.errors.OpError, ValueError) as error:
            raise _not_compilable(str(error)) from error

    def variables(self) -> list[Any]:
        """What the traced step reads or writes, of TensorFlow's own class."""
        return [variable for traced in self.functions.values() for variable in traced.variables]

    def _function(self, batch_size: int) -> Any:
        """The traced step: for any batch size where that is possible, as `fit` does it."""
        if None in self.functions:
            return self.functions[None]
        if not self.functions:
            try:
                return self.functions.setdefault(None, _trace_step(self.training, None))
            except (TypeError, ValueError, NotImplementedError):
                # A step that needs the batch size as a number.
                pass
        if batch_size not in self.functions:
            self.functions[batch_size] = _trace_step(self.training, batch_size)
        return self.functions[batch_size]


def _trace_step(training: Training, batch_size: int | None) -> Any:
    import tensorflow as tf

    step = tf.function(training.run, jit_compile=True, autograph=training.autograph)
    with gpu_supposed(), cutting_small_updates(training.model):
        return step.get_concrete_function(training.specs(batch_size))


def _check_shapes(training: Training) -> None:
    import tensorflow as tf

    for spec in tf.nest.flatten(training.data):
        if spec.shape.rank is None or None in tuple(spec.shape[1:]):
            raise NotCompilable(
                f"Received: an input of shape {spec.shape}. Expected: all axes but the first "
                "fixed, because XLA compiles the step for each shape anew. Give the shape of one "
                "real batch, or plan with jit_compile=False."
            )


def _not_compilable(message: str) -> NotCompilable:
    found = re.search(r"No registered '(\w+)' OpKernel", message)
    operation = found.group(1) if found else ""
    first_line = next((line for line in message.splitlines() if line.strip()), "")
    named = f"XLA has no kernel for {operation}" if operation else "XLA refused the step"
    return NotCompilable(
        f"{named}. On a GPU this step runs without XLA or not at all: compile the model with "
        f"jit_compile=False. TensorFlow says: {first_line[:300]}",
        operation,
    )
