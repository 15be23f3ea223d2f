"""What `compile` and `fit` leave on a model."""

from typing import Any


def uses_xla(model: Any) -> bool:
    """Whether the functions of a model are compiled with XLA."""
    return getattr(model, "jit_compile", getattr(model, "_jit_compile", None)) is True


def compiled_once(model: Any) -> Any:
    """Another object after each call of `compile`."""
    return getattr(model, "_compile_loss", None) or getattr(model, "compiled_loss", None)


def steps_per_execution(model: Any) -> int:
    """Steps of one call of the train function; Keras 2 keeps the number in a variable."""
    held: Any = getattr(model, "_steps_per_execution", None)
    if held is None:
        held = model.steps_per_execution
    return int(held.numpy() if hasattr(held, "numpy") else held)


def restored_epoch(model: Any) -> int | None:
    """The epoch to which BackupAndRestore has brought a `fit` of Keras 3; None where it has not."""
    epoch: int | None = getattr(model, "_initial_epoch", None)
    return epoch


def forget_restored_epoch(model: Any) -> None:
    """Begin where `fit` was told to."""
    if restored_epoch(model) is not None:
        model._initial_epoch = None
