"""Compiles a model as another one was compiled."""

import contextlib
from typing import Any

from fitguard.contract import optimizers
from fitguard.contract.compiling import compile_arguments
from fitguard.inputs.models.step import is_defined_by_user
from fitguard.memory.training import Training
from fitguard.memory.variants.variant import CannotBeMade

_PASSED_ON = ("loss", "loss_weights", "run_eagerly")
_METRICS = ("metrics", "weighted_metrics")


def compile_like(training: Training, twin: Any, optimizer: Any = None) -> None:
    """Compile the twin as the model of `training`, with its slots; nothing is shared but losses.

    Args:
        optimizer: Another one than the model has.

    Raises:
        CannotBeMade: The model is compiled in a way of its own.
    """
    model = training.model
    if is_defined_by_user(model, "compile"):
        raise CannotBeMade("the model has a compile() of its own")
    given = compile_arguments(model)
    settings = {name: given.get(name) for name in _PASSED_ON}
    settings |= {name: _fresh(given.get(name)) for name in _METRICS}
    chosen = rebuild_from_config(model.optimizer) if optimizer is None else optimizer
    twin.compile(optimizer=chosen, jit_compile=training.jit_compile, **settings)
    optimizers.build(twin.optimizer, twin.trainable_variables)


def rebuild_from_config(thing: Any) -> Any:
    """Another one like this, from its configuration."""
    return type(thing).from_config(thing.get_config())


def _fresh(metrics: Any) -> Any:
    """Metrics without what they have counted; names and functions count nothing."""
    if isinstance(metrics, dict):
        return {key: _fresh(value) for key, value in metrics.items()}
    if isinstance(metrics, list | tuple):
        return [_fresh(value) for value in metrics]
    with contextlib.suppress(Exception):
        return rebuild_from_config(metrics)
    return metrics
