"""How a model will be trained: what `compile` set, and whose step it is."""

import inspect
from collections.abc import Mapping
from typing import Any

from fitguard.contract.compiling import (
    is_compiled,
    steps_per_execution,
    strategy_of,
    supports_jit,
)
from fitguard.contract.libraries import Library, is_a, is_of_keras
from fitguard.inputs.models.asking import ask, trait
from fitguard.inputs.models.cudnn import runs_on_cudnn
from fitguard.inputs.models.kinds import sublayers

_OF_BATCHES = ("train_step", "make_train_function", "fit")
_OF_THE_STEP = (
    *_OF_BATCHES,
    *("compute_loss", "compute_loss_and_updates", "stateless_compute_loss"),
)


def has_loss(model: Any) -> bool | None:
    """Whether `compile` was given a loss; None where it was not called."""
    if not is_compiled(model):
        return None
    given = model.loss
    return given is not None and given not in ({}, [], ())


def loss_keys(model: Any) -> tuple[str, ...]:
    """The keys of the dict of losses that `compile` was given."""
    given = model.loss
    return tuple(map(str, given)) if isinstance(given, Mapping) else ()


def custom_step(model: Any) -> bool:
    """Whether a class of the user's defines what one step of training does."""
    return any(is_defined_by_user(model, name) for name in _OF_THE_STEP)


def custom_batches(model: Any) -> bool:
    """Whether a class of the user's takes each batch apart."""
    return any(is_defined_by_user(model, name) for name in _OF_BATCHES)


def is_defined_by_user(model: Any, name: str) -> bool:
    """Whether a method of a model is not Keras' own."""
    if name in ask(lambda: vars(model), {}):
        return True
    definer = next((base for base in type(model).__mro__ if name in vars(base)), None)
    return definer is not None and not is_of_keras(definer)


def adds_loss(model: Any) -> bool:
    """Whether code that runs in `call` names `add_loss`, or a graph of Keras 2 has it inside."""
    return any(
        is_a(layer, "AddLoss") or "add_loss" in _names_in_call(layer)
        for layer in (model, *sublayers(model))
    )


def _names_in_call(layer: Any) -> tuple[str, ...]:
    definer = next((base for base in type(layer).__mro__ if "call" in vars(base)), object)
    if is_of_keras(definer):
        return ()
    code = ask(lambda: inspect.unwrap(vars(definer)["call"]).__code__, None)
    return tuple(trait(code, "co_names", ()))


def optimizer_name(model: Any) -> str | None:
    """The class of the optimizer, a loss scaler taken off."""
    optimizer = trait(model, "optimizer")
    inner = trait(optimizer, "inner_optimizer")
    chosen = optimizer if inner is None else inner
    return None if chosen is None else type(chosen).__name__


def replicas(model: Any) -> int:
    """Over how many devices the strategy that the model was made under splits a batch."""
    return ask(lambda: int(model.distribute_strategy.num_replicas_in_sync), 1)


def replica_devices(model: Any) -> str | None:
    """What kind of device each replica has; None without a strategy."""
    strategy = strategy_of(model)
    if strategy is None:
        return None
    return str(strategy.extended.worker_devices[0]).rpartition("device:")[2].partition(":")[0]


def times_per_execution(model: Any) -> int:
    """How many steps one call of the training function makes; 1 before `compile`."""
    return steps_per_execution(model) if is_compiled(model) else 1


def jit_compile(model: Any, library: Library) -> bool | None:
    """Whether XLA compiles the training step where there is a GPU; None before `compile`.

    Keras 3 settles `jit_compile="auto"` in `compile`, by the machine it is on. Where there is no
    GPU it writes False, and nothing then tells "auto" from a False that the user wrote: "auto"
    is assumed, as it is the default.
    """
    settled = jit_compile_here(model)
    if settled is None or _eager(model):
        return settled
    if settled or library.generation == 2 or gpus():
        return settled
    if strategy_of(model) is not None:
        return False
    if any(map(runs_on_cudnn, sublayers(model))):
        return False
    return ask(lambda: supports_jit(model), None)


def jit_compile_here(model: Any) -> bool | None:
    """Whether XLA compiles the training step on this machine; None before `compile`."""
    if not is_compiled(model):
        return None
    return not _eager(model) and bool(trait(model, "jit_compile", False))


def _eager(model: Any) -> bool:
    import tensorflow as tf

    return bool(trait(model, "run_eagerly", False) or tf.config.functions_run_eagerly())


def gpus() -> int:
    """How many GPUs TensorFlow sees here."""
    import tensorflow as tf

    return len(tf.config.list_physical_devices("GPU"))
