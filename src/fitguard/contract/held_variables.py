"""Where models, layers, metrics and optimizers of Keras hold their variables."""

import functools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from fitguard.contract.libraries import is_of_keras


def _split_names(names: str) -> frozenset[str]:
    return frozenset(names.split())


_WRAPPED = {"KerasVariable": "_value", "Variable": "_value", "AutoCastVariable": "_variable"}
"""Classes of Keras that hold a variable of TensorFlow, and where."""
_NO_NUMBERS = ("string", "resource", "variant")

LAYERS, METRICS, OPTIMIZER, OTHER = range(4)
"""The order in which ways to a variable are gone: what is reached first gives it its name."""
_OF_LAYERS = _split_names("""
    _trainable_variables _trainable_weights _non_trainable_variables _non_trainable_weights
    _seed_generators _layers _self_tracked_trackables _variables _weights inner_optimizer _optimizer
""")
_OF_METRICS = _split_names("""
    _loss_tracker _compile_loss _compile_metrics compiled_loss compiled_metrics _metrics
""")
_RANKS = {
    **dict.fromkeys(_OF_LAYERS, LAYERS),
    **dict.fromkeys(_OF_METRICS, METRICS),
    "optimizer": OPTIMIZER,
}
_SKIPPED = _split_names(
    """
    _tracked _functional _operations _operations_by_depth _nodes _nodes_by_depth _inbound_nodes
    _outbound_nodes _auto_config _compile_config _compiled_trainable_state
    _self_unconditional_checkpoint_dependencies _self_unconditional_dependency_names
    _self_saveable_object_factories _obj_reference_counts_dict _layer_call_argspecs
    _trainable_variables_indices
    """
)
"""Attributes that hold nothing, or what others hold too."""
_BOOKKEEPING = ("_self_", "_tf_", "_keras_", "_obj_reference", "_fitguard_")
_NOT_OF_A_MODEL = frozenset(("Callback", "Tracker"))
_FIXED = frozenset(("Initializer", "DTypePolicy", "Policy", "InputSpec", "SerializableDict"))
"""What a step never asks again once the model is built."""
_COUNTED = re.compile(rf"(^|\.)({'|'.join(_OF_METRICS)})[.\[]|(^|\.)_(train|test|predict)_counter$")


def unwrap_variable(thing: Any) -> Any:
    """The variable of TensorFlow behind it; None where it is none, or has no value yet."""
    import tensorflow as tf

    cls: type = type(thing)
    inner = _inner(cls)
    if inner:
        return unwrap_variable(vars(thing).get(inner))
    if not isinstance(thing, tf.Variable):
        return None
    return None if thing.dtype.name in _NO_NUMBERS else thing


def read_into(variable: Any, find_room: Callable[[], np.ndarray]) -> np.ndarray | None:
    """Copy its value into an array; None for a kind of variable that has a way of its own to read.

    `numpy()` does the same with new memory.
    """
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    if getattr(type(variable), "numpy", None) is not BaseResourceVariable.numpy:
        return None
    value = variable.read_value()
    if not hasattr(value, "_numpy"):
        return None
    array = find_room()
    np.copyto(array, value._numpy(), casting="no")
    return array


@functools.lru_cache(maxsize=4096)
def _inner(cls: type) -> str:
    names = (base.__name__ for base in cls.__mro__ if is_of_keras(base))
    return next((_WRAPPED[name] for name in names if name in _WRAPPED), "")


def rank_of(thing: Any, attribute: str) -> int | None:
    """When an attribute's turn is; None where it holds nothing that others do not hold too."""
    if attribute in _SKIPPED:
        return None
    # What an optimizer trains belongs to a model; it knows it only once it is built.
    if attribute == "_trainable_variables" and "_iterations" in getattr(thing, "__dict__", ()):
        return OTHER
    return _RANKS.get(attribute, OTHER)


def is_bookkeeping(attribute: str) -> bool:
    """Whether TensorFlow, Keras or fitguard notes something for itself under this name."""
    return attribute.startswith(_BOOKKEEPING)


@functools.lru_cache(maxsize=4096)
def may_hold(cls: type) -> bool:
    """Whether objects of a class may hold variables of a model."""
    return not any(base.__name__ in _NOT_OF_A_MODEL and is_of_keras(base) for base in cls.__mro__)


@functools.lru_cache(maxsize=4096)
def is_fixed(cls: type) -> bool:
    """Whether objects of a class of Keras' own say only how a model was built."""
    return is_of_keras(cls) and any(base.__name__ in _FIXED for base in cls.__mro__)


def is_counted(way: str) -> bool:
    """Whether what lies on this way only counts: metrics, and the steps that were done."""
    return _COUNTED.search(way) is not None


def replicas_of(variable: Any) -> list[Any]:
    """The variables of this process that hold its value: under a strategy, one for each replica.

    To read one of a metric as a whole, a strategy adds up all replicas: with several workers it
    would wait for them to read it too.
    """
    is_distributed = any(base.__name__ == "DistributedVariable" for base in type(variable).__mro__)
    return list(variable.values) if is_distributed else [variable]
