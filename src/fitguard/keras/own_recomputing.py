"""`recompute`: less memory for a step of the user's own, or for a model's `fit`."""

from collections.abc import Callable
from typing import Any

from fitguard.contract.compiling import steps_per_execution
from fitguard.schema.exit_codes import UsageError


def recompute(step: Any, share: float = 0.5, *, jit_compile: bool = False) -> Any:
    """A step that computes some of its values twice, and takes less memory.

    The result is the same but for rounding: the whole batch is seen at once, random numbers are
    those of the plain step, and moving averages move once.

    Args:
        step: A function of tensors that computes gradients and applies them, as for `tf.function`;
            or a compiled Keras model, whose `fit` trains in this way from now on.
        share: The part of the memory that the step should take, compared with what it takes as it
            is, without variables and the batch. Where so little cannot be had, it takes the least.
        jit_compile: Compile the function with XLA. A model says that itself.

    Returns:
        The new function; of a model, the model itself.

    Raises:
        UsageError: for a share that is not between 0 and 1, for what is no step, and for models
            that cannot be recomputed. `NothingToRecompute` comes with the first call if no memory
            can be saved.

    Example:
        >>> step = fitguard.keras.recompute(train_step, share=0.4)
        >>> for images, labels in batches:
        ...     loss = step(images, labels)
    """
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise UsageError(
            f"Received share={share!r}. Expected a number between 0 and 1, such as 0.5."
        )
    if hasattr(step, "train_step") and hasattr(step, "make_train_function"):
        return _recompute_fit(step, share)
    if not callable(step):
        raise UsageError(
            f"Received a {type(step).__name__}. Expected a function of tensors, or a compiled Keras"
            " model."
        )
    from fitguard.memory.recomputing.recomputed import RecomputedFunction

    function: Callable[..., Any] = getattr(step, "python_function", step)
    return RecomputedFunction(function, share, jit_compile=jit_compile)


def _recompute_fit(model: Any, share: float) -> Any:
    from fitguard.keras.fitting.recomputed_step import RecomputedStep, describe_not_recomputable

    if getattr(model, "optimizer", None) is None:
        raise UsageError("Received a model that is not compiled. Expected model.compile() before.")
    refusal = describe_not_recomputable(model)
    if not refusal and steps_per_execution(model) > 1:
        refusal = (
            "It was compiled with steps_per_execution: fitguard recomputes one step at a time."
        )
    if refusal:
        raise UsageError(f"This model cannot be recomputed. {refusal}")

    def make_train_function(force: bool = False) -> Any:
        if model.train_function is None or force:
            step = RecomputedStep(model, share)
            model.train_function = lambda iterator: step(next(iterator))
        return model.train_function

    model.make_train_function = make_train_function
    model.train_function = None
    return model
