"""What `compile` was given, what Keras made of it, and what `fit` leaves on a model."""

from typing import Any

_PUBLIC_NAMES = {
    "CollectiveAllReduceStrategy": "MultiWorkerMirroredStrategy",
    "ParameterServerStrategyV2": "ParameterServerStrategy",
}


def is_compiled(model: Any) -> bool:
    """Whether `compile` was called; no property of the user's is."""
    attributes = vars(model)
    return bool(attributes.get("compiled", attributes.get("_is_compiled")))


def compile_arguments(model: Any) -> dict[str, Any]:
    """What Keras' own `compile` was called with, for a model that is compiled."""
    return dict(model._compile_config.config)


def loss_arguments(loss: Any) -> dict[str, Any]:
    """What a loss was made with: kept by itself, or for the function that it wraps."""
    return {**vars(loss), **getattr(loss, "_fn_kwargs", {})}


def is_jit_compiled(function: Any) -> bool:
    """Whether a `tf.function` was made with `jit_compile=True`."""
    return bool(getattr(function, "_jit_compile", False))


def strategy_of(model: Any) -> Any:
    """The strategy that a model was made under; None where there was none."""
    of_keras_2 = getattr(model, "_distribution_strategy", None)
    return getattr(model, "_distribute_strategy", of_keras_2)


def strategy_name(model: Any) -> str | None:
    """The name by which TensorFlow publishes the strategy of a model; None where it has none."""
    strategy = strategy_of(model)
    if strategy is None:
        return None
    name = type(strategy).__name__
    return _PUBLIC_NAMES.get(name, name)


def supports_jit(model: Any) -> bool:
    """Whether Keras 3 lets XLA compile the model."""
    from keras.src.trainers.trainer import model_supports_jit

    return bool(model_supports_jit(model))


def build_for(model: Any, batch: Any) -> None:
    """Make all variables that training a model of Keras 3 on such a symbolic batch makes."""
    model._symbolic_build(data_batch=batch)


def uses_xla(model: Any) -> bool:
    """Whether the functions of a model are compiled with XLA."""
    return getattr(model, "jit_compile", getattr(model, "_jit_compile", None)) is True


def find_compiled_loss(model: Any) -> Any:
    """Another object after each call of `compile`."""
    return getattr(model, "_compile_loss", None) or getattr(model, "compiled_loss", None)


def steps_per_execution(model: Any) -> int:
    """Steps of one call of the train function; Keras 2 keeps the number in a variable."""
    held: Any = getattr(model, "_steps_per_execution", None)
    if held is None:
        held = model.steps_per_execution
    return int(held.numpy() if hasattr(held, "numpy") else held)


def read_restored_epoch(model: Any) -> int | None:
    """The epoch to which BackupAndRestore has brought a `fit` of Keras 3; None where it has not."""
    epoch: int | None = getattr(model, "_initial_epoch", None)
    return epoch


def forget_restored_epoch(model: Any) -> None:
    """Begin where `fit` was told to."""
    if read_restored_epoch(model) is not None:
        model._initial_epoch = None
