"""Tensors and variables of TensorFlow, and its functions; never loads it for what is not of it."""

import functools
import importlib
import sys
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from fitguard.notebook.parcel.errors import NotCarried

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker


def pack_tensor(value: Any, _: "Packer") -> Any:
    """The values of a tensor; None for what is none."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None or not isinstance(value, tf.Tensor):
        return None
    if not hasattr(value, "numpy") or value.dtype in (tf.variant, tf.resource):
        raise NotCarried("it is a tensor without values of its own")
    return np.asarray(value.numpy())


def make_tensor(array: np.ndarray, _: "Unpacker") -> Any:
    """The tensor again."""
    import tensorflow as tf

    return tf.convert_to_tensor(array)


def pack_variable(value: Any, _: "Packer") -> Any:
    """The values of a variable, and whether it is trained; None for what is none."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None or not isinstance(value, tf.Variable):
        return None
    return np.asarray(value.numpy()), bool(value.trainable)


def make_variable(packed: tuple[np.ndarray, bool], _: "Unpacker") -> Any:
    """The variable again."""
    import tensorflow as tf

    array, trainable = packed
    return tf.Variable(array, trainable=trainable)


def pack_public_function(value: Any, _: "Packer") -> Any:
    """The public name of a function that TensorFlow has wrapped; None for others."""
    # Where it was defined there is another function: pickle would carry a copy of this one.
    names = vars(value).get("_tf_api_names", ()) if isinstance(value, FunctionType) else ()
    return next((name for name in names if _public(name) is value), None)


def make_public_function(name: str, _: "Unpacker") -> Any:
    """The function again."""
    return _public(name)


def _public(name: str) -> Any:
    module: Any = importlib.import_module("tensorflow")
    try:
        return functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        return None
