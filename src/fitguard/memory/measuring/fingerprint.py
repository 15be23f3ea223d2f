"""Tells whether two training steps are the same, whatever their layers are called."""

import hashlib
import inspect
import json
from collections.abc import Iterator, Mapping
from typing import Any

from fitguard.inputs.models.asking import told, trait
from fitguard.inputs.models.kinds import sublayers
from fitguard.inputs.models.library import ROOTS, root
from fitguard.memory.measuring.data_specs import as_json
from fitguard.memory.training import Training

_DIGITS = 32
_MEANINGLESS = frozenset(("seed", "build_config", "jit_compile"))
"""What changes no memory, is different for each batch, or is told elsewhere."""
_SETTINGS = ("TF_GPU_ALLOCATOR", "TF_XLA_FLAGS", "XLA_FLAGS", "TF_DETERMINISTIC_OPS")
"""Variables that change what a step needs."""


def fingerprint(training: Training, surrounding: Mapping[str, str]) -> str | None:
    """The same text for the same step of any batch size; None for a function, which does not tell.

    Layers, shapes, optimizer, loss, metrics, policies, XLA, the code of the user's own classes, and
    the versions of TensorFlow and Keras count; names, seeds and learning rates do not.
    """
    import keras
    import tensorflow as tf

    model = training.model
    if model is None:
        return None
    layers = [model, *sublayers(model)]
    facts = {
        "versions": [tf.__version__, keras.__version__],
        "model": _nameless(told(model.get_config, None)),
        "layers": [[type(layer).__name__, _own_config(layer, model)] for layer in layers],
        "weights": [[list(one.shape), str(one.dtype)] for one in trait(model, "weights", [])],
        "compiled": _nameless(told(model.get_compile_config, None)),
        "optimizer": _optimizer(trait(model, "optimizer")),
        "code": sorted({_code(thing) for thing in _own_code(layers, trait(model, "loss"))}),
        "data": as_json(training.data),
        "xla": training.jit_compile,
        "replicas": training.replicas,
        "settings": {name: surrounding[name] for name in _SETTINGS if name in surrounding},
    }
    text = json.dumps(facts, sort_keys=True, default=lambda thing: type(thing).__qualname__)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _own_config(layer: Any, model: Any) -> Any:
    return None if layer is model else _nameless(told(layer.get_config, None))


def _nameless(config: Any) -> Any:
    """A config in which things are called by their order, not by their names."""
    names: dict[str, str] = {}
    for name in _names(config):
        names.setdefault(name, f"#{len(names)}")
    return _renamed(config, names)


def _names(config: Any) -> Iterator[str]:
    if isinstance(config, Mapping):
        name = config.get("name")
        if isinstance(name, str):
            yield name
        for part in config.values():
            yield from _names(part)
    elif isinstance(config, list | tuple):
        for part in config:
            yield from _names(part)


def _renamed(config: Any, names: Mapping[str, str]) -> Any:
    if isinstance(config, str):
        return names.get(config, config)
    if isinstance(config, Mapping):
        return {
            names.get(str(key), str(key)): _renamed(part, names)
            for key, part in config.items()
            if key not in _MEANINGLESS and not _is_rate(key, part)
        }
    if isinstance(config, list | tuple):
        return [_renamed(part, names) for part in config]
    return config


def _is_rate(key: Any, value: Any) -> bool:
    return key == "learning_rate" and isinstance(value, int | float)


def _optimizer(optimizer: Any) -> Any:
    config = told(lambda: optimizer.get_config(), None)
    return [type(optimizer).__name__, _nameless(config)]


def _own_code(layers: list[Any], loss: Any) -> Iterator[Any]:
    """The user's classes, and functions that are a loss."""
    for layer in layers:
        yield from (base for base in type(layer).__mro__ if root(base) not in (*ROOTS, "builtins"))
    losses = loss.values() if isinstance(loss, Mapping) else loss
    for one in losses if isinstance(losses, list | tuple) else [losses]:
        if inspect.isfunction(one):
            yield one


def _code(thing: Any) -> str:
    if root(thing) in ("tensorflow", "keras", "tf_keras"):
        return str(thing.__qualname__)
    return str(told(lambda: inspect.getsource(thing), thing.__qualname__))
