"""`recompute`: less memory for a step of the user's own, or for a model's `fit`."""

import warnings
from collections.abc import Callable
from numbers import Real
from typing import Any

from fitguard.contract.compiling import steps_per_execution
from fitguard.schema.exit_codes import UsageError

_NOTHING = (
    "fitguard.keras.recompute saves nothing here: no large value of the step waits for the "
    "backward pass and can be computed again. The step runs as it is."
)

_MORE = (
    "fitguard.keras.recompute was asked for share={share:g} of the memory of the step. The least "
    "that it can be had in is {reached:.2f}: it takes that."
)


def recompute(step: Any, share: float = 0.5, *, jit_compile: bool | None = None) -> Any:
    """A step that computes some of its values twice, and takes less memory.

    The result is the same but for rounding: the whole batch is seen at once, random numbers are
    those of the plain step, and moving averages move once. Numbers that TensorFlow's kernels draw
    from a state of their own (`tf.random.uniform`) are others. Where no memory can be saved, the
    step runs as it is. A warning says that, and where less can be saved than was asked for.

    Args:
        step: A function of tensors that computes gradients and applies them, as for `tf.function`;
            or a compiled Keras model, whose `fit` trains in this way from now on.
        share: The part of the memory that the step should take, compared with what it takes as it
            is, without variables and the batch. Where so little cannot be had, it takes the least.
        jit_compile: Compile the function with XLA; None for what the `tf.function` does. A model
            says that itself.

    Returns:
        The new function, to be called from Python; of a model, the model itself.

    Raises:
        UsageError: for a share that is not between 0 and 1, for what is no step, and for models
            that cannot be recomputed, also when they are compiled so later.

    Example:
        >>> step = fitguard.keras.recompute(train_step, share=0.4)
        >>> for images, labels in batches:
        ...     loss = step(images, labels)
    """
    require_share(share)
    if hasattr(step, "train_step") and hasattr(step, "make_train_function"):
        return _recompute_fit(step, share)
    if not callable(step):
        raise UsageError(
            f"Received step={step!r}. Expected a function of tensors, or a compiled Keras model."
        )
    if hasattr(step, "micro_batched"):
        raise UsageError(
            "Received a step in micro-batches. Expected the step itself: "
            "`fitguard.keras.micro_batch(step, rows, share=...)` recomputes each of its parts."
        )
    from fitguard.memory.recomputing.recomputed import RecomputedFunction

    return RecomputedFunction(step, share, jit_compile=jit_compile, told_more=_warner(share))


def require_share(share: Any) -> None:
    """Refuse what is no part of the memory of a step."""
    if isinstance(share, bool) or not isinstance(share, Real) or not 0 < float(share) < 1:
        raise UsageError(
            f"Received share={share!r}. Expected a number between 0 and 1, such as 0.5."
        )


def _warner(share: float) -> Callable[[float], None]:
    """Says that there is less to be saved than was asked for."""

    def warn(reached: float) -> None:
        text = _NOTHING if reached >= 1 else _MORE.format(share=share, reached=reached)
        warnings.warn(text, stacklevel=4)

    return warn


def _recompute_fit(model: Any, share: float) -> Any:
    if getattr(model, "optimizer", None) is None:
        raise UsageError("Received a model that is not compiled. Call model.compile() first.")
    _require_recomputable(model)

    def make_train_function(force: bool = False) -> Any:
        if model.train_function is None or force:
            # It may have been compiled in another way since.
            _require_recomputable(model)
            model.train_function = _take_steps(model, share)
        return model.train_function

    model.make_train_function = make_train_function
    model.train_function = None
    return model


def _take_steps(model: Any, share: float) -> Callable[[Any], Any]:
    """What Keras calls with an iterator."""
    from fitguard.keras.fitting.recomputed_step import RecomputedStep

    made: list[RecomputedStep] = []

    def take_step(iterator: Any) -> Any:
        if not made:
            spec = getattr(iterator, "element_spec", None)
            made.append(RecomputedStep(model, share, spec, told_more=_warner(share)))
        return made[0](next(iterator))

    return take_step


def _require_recomputable(model: Any) -> None:
    from fitguard.keras.fitting.recomputed_step import describe_not_recomputable

    refusal = describe_not_recomputable(model)
    if not refusal and steps_per_execution(model) > 1:
        refusal = "It has steps_per_execution: fitguard recomputes one step at a time."
    if refusal:
        raise UsageError(f"This model cannot be recomputed. {refusal}")
