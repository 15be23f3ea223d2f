"""A function of the user's that makes a step, seen as a model with a `train_step` of its own."""

from collections.abc import Callable
from typing import Any

from fitguard.contract.compiling import is_jit_compiled
from fitguard.contract.libraries import Library, library_of
from fitguard.contract.own_functions import code_of, find_metrics
from fitguard.keras.microbatch.arguments import Arguments
from fitguard.schema.exit_codes import UsageError


class OwnStep:
    """Beside a class `Model` of Keras, the base of what `as_model` makes.

    Attributes:
        step_name: Of the function, for sentences.
        metrics: All of this process: what the step updates may be held anywhere.
    """

    step_name: str
    metrics: list[Any]
    jit_compile = False
    run_eagerly = False
    own_step: Callable[[Any], Any]

    def train_step(self, data: Any) -> Any:
        """Keras' name for it."""
        return self.own_step(data)


def as_model(function: Any, arguments: Arguments, model: Any, optimizer: Any) -> Any:
    """A model that has the layers of `model`, and whose `train_step` is the function.

    Its batches are the tensors among the arguments, in their order; other arguments stay as here.

    Args:
        function: A `tf.function`, or what could be one.
        model: Of Keras; its weights are trained.
        optimizer: That the function calls.
    """
    library, code = require_trained(model, optimizer), code_of(function)

    def own_step(data: Any) -> Any:
        given, named = arguments.fill(data)
        return code(*given, **named)

    attributes = {
        "step_name": name_of(function),
        "metrics": find_metrics(library),
        "jit_compile": is_jit_compiled(function),
        "own_step": staticmethod(own_step),
    }
    with model.distribute_strategy.scope():
        made = type("OwnStep", (OwnStep, library.module().Model), attributes)()
    made.inner = model
    made.optimizer = optimizer
    made.built = True
    return made


def name_of(function: Any) -> str:
    """What the user calls it."""
    return str(getattr(function, "__name__", type(function).__name__))


def require_trained(model: Any, optimizer: Any) -> Library:
    """The Keras of a model; `UsageError` where these cannot be what a step trains."""
    library = library_of(model, "Model")
    if library is None:
        raise UsageError(
            f"Received model={type(model).__name__}. Expected a Keras model that has all weights"
            " which the step trains."
        )
    if not hasattr(optimizer, "apply_gradients"):
        raise UsageError(
            f"Received optimizer={type(optimizer).__name__}. Expected the Keras optimizer with"
            " which the step applies its gradients."
        )
    return library
