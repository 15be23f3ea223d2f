"""Tells whether two training steps are the same, whatever their layers are called."""

import hashlib
import inspect
import json
import types
from collections.abc import Iterator, Mapping
from typing import Any

from fitguard.contract.libraries import PACKAGES, is_a, package_of
from fitguard.inputs.models.asking import ask, name_of, trait
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.library import recognise
from fitguard.memory.measuring.data_specs import as_json
from fitguard.memory.training import Training

_DIGITS = 32
_MEANINGLESS = frozenset(("seed", "build_config", "jit_compile"))
"""What changes no memory, is different for each batch, or is told elsewhere."""
_SETTINGS = ("TF_GPU_ALLOCATOR", "TF_XLA_FLAGS", "XLA_FLAGS", "TF_DETERMINISTIC_OPS")
"""Variables that change what a step needs."""


def fingerprint(training: Training, surrounding: Mapping[str, str]) -> str | None:
    """The same text for the same step of any batch size; None for a function, which does not tell.

    Layers, shapes, optimizer, loss, metrics, policies, XLA, the code of the user's own classes and
    the versions of TensorFlow and Keras count; names, seeds and learning rates do not. What the
    user's classes call does not either: code in other places may change unseen.
    """
    import tensorflow as tf

    model = training.model
    if model is None:
        return None
    layers = [model, *sublayers(model)]
    optimizer = trait(model, "optimizer")
    names = _names(layers, optimizer)
    facts = {
        "versions": [tf.__version__, recognise(model).version],
        "layers": [[type(layer).__name__, _config(layer, names)] for layer in layers],
        "weights": [[list(one.shape), str(one.dtype)] for one in trait(model, "weights", [])],
        "compiled": _replace_names(ask(model.get_compile_config, None), names),
        "optimizer": [type(optimizer).__name__, _config(optimizer, names)],
        "code": [_code(thing) for thing in _own_code(layers, trait(model, "loss"))],
        "data": as_json(training.data),
        "xla": training.jit_compile,
        "replicas": training.replicas,
        "settings": {name: surrounding[name] for name in _SETTINGS if name in surrounding},
    }
    text = json.dumps(facts, sort_keys=True, default=lambda thing: type(thing).__qualname__)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _names(layers: list[Any], optimizer: Any) -> dict[str, str]:
    """A number for each name: those that Keras gives count on whenever a model is made again."""
    operations = [one for layer in layers if is_a(layer, "Function") for one in layer.operations]
    optimizers = [optimizer, trait(optimizer, "inner_optimizer")]
    named = dict.fromkeys(name_of(one) for one in (*layers, *operations, *optimizers))
    return {name: f"#{number}" for number, name in enumerate(named)}


def _config(thing: Any, names: Mapping[str, str]) -> Any:
    return _replace_names(ask(lambda: thing.get_config(), None), names)


def _replace_names(config: Any, names: Mapping[str, str]) -> Any:
    if isinstance(config, str):
        return names.get(config, config)
    if isinstance(config, Mapping):
        return {
            str(key): _replace_names(part, names)
            for key, part in config.items()
            if key not in _MEANINGLESS and not _is_rate(key, part)
        }
    if isinstance(config, list | tuple):
        return [_replace_names(part, names) for part in config]
    return config


def _is_rate(key: Any, value: Any) -> bool:
    return key == "learning_rate" and isinstance(value, int | float)


def _own_code(layers: list[Any], loss: Any) -> Iterator[types.FunctionType]:
    """The methods of the user's classes, and functions that are a loss."""
    bases = dict.fromkeys(base for layer in layers for base in type(layer).__mro__)
    for base in bases:
        if package_of(base) not in (*PACKAGES, "builtins", "tensorflow"):
            yield from (one for one in vars(base).values() if inspect.isfunction(one))
    losses = loss.values() if isinstance(loss, Mapping) else loss
    for one in losses if isinstance(losses, list | tuple) else [losses]:
        if inspect.isfunction(one):
            yield one


def _code(function: types.FunctionType) -> list[Any]:
    """What a function does, where nobody has its source either: in a notebook."""
    return _read_bytecode(function.__code__)


def _read_bytecode(code: types.CodeType) -> list[Any]:
    constants = [
        _read_bytecode(one) if isinstance(one, types.CodeType) else _constant(one)
        for one in code.co_consts
    ]
    return [code.co_code.hex(), list(code.co_names), constants]


def _constant(value: Any) -> str:
    """A set has no order of its own."""
    return repr(sorted(map(repr, value)) if isinstance(value, frozenset) else value)
