"""The training with another optimizer, and what the state of an optimizer takes."""

from dataclasses import replace
from typing import Any

from fitguard.contract.optimizers import build, is_built
from fitguard.memory.model_variables import optimizer_variables, variable_bytes
from fitguard.memory.training import Training
from fitguard.memory.variants.cloning import clone, keras_of
from fitguard.memory.variants.compiling import compile_like, rebuild_from_config
from fitguard.memory.variants.variant import CannotBeMade, Variant, attempt

_MOMENTUM = 0.9
"""SGD without momentum has no state, but trains few models."""


def with_optimizer(training: Training, name: str) -> Variant:
    """The training with an optimizer of this name: `sgd` (with momentum), `lion`, `adafactor` …"""
    return attempt(lambda: _build_training(training, name))


def _build_training(training: Training, name: str) -> Training:
    twin = clone(training, lambda config: config)
    compile_like(training, twin, _new(training.model, name))
    return replace(training, model=twin)


def state_bytes(training: Training, name: str | None = None) -> int:
    """What the variables of the model's optimizer take, or would take of one of this name.

    An optimizer that has none yet is made a second time, and that one gets them.
    """
    model = training.model
    optimizer = model.optimizer if name is None else _new(model, name)
    if not is_built(optimizer):
        optimizer = rebuild_from_config(optimizer)
        build(optimizer, model.trainable_variables)
    return sum(map(variable_bytes, optimizer_variables(optimizer)))


def count_gradient_bytes(model: Any) -> int:
    """What the gradients of all weights take."""
    return sum(map(variable_bytes, model.trainable_variables))


def _new(model: Any, name: str) -> Any:
    optimizers = keras_of(model).optimizers
    # Keras 2 has optimizers that its `get` does not know by name.
    classes = {known.lower(): getattr(optimizers, known) for known in dir(optimizers)}
    if name.lower() not in classes:
        raise CannotBeMade(f"{optimizers.__name__} has no {name}")
    settings = {"momentum": _MOMENTUM} if name.lower() == "sgd" else {}
    return classes[name.lower()](**settings)
