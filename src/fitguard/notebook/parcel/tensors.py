"""Tensors, variables and types of TensorFlow; never loads it for what is not of TensorFlow."""

import sys
from typing import Any

import numpy as np

from fitguard.notebook.parcel.arrays import make_array, written
from fitguard.notebook.parcel.nodes import Array, Made
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking


def pack_tensor(value: Any, packing: Packing, where: str) -> Packed:
    """A tensor or variable with a value, or NotMine."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None:
        return NotMine
    if getattr(value, "dtype", None) in (tf.variant, tf.resource):
        return NotMine
    if isinstance(value, tf.Variable):
        return written(np.asarray(value.numpy()), "variable", packing, where)
    if isinstance(value, tf.Tensor) and hasattr(value, "numpy"):
        return written(np.asarray(value.numpy()), "tensor", packing, where)
    return NotMine


def is_constant(value: Any) -> bool:
    """Whether it is a tensor: it cannot change."""
    tf: Any = sys.modules.get("tensorflow")
    return tf is not None and isinstance(value, tf.Tensor)


def make_tensor(node: Array, unpacking: Unpacking) -> Any:
    """The tensor or variable again."""
    import tensorflow as tf

    array = make_array(node, unpacking)
    return tf.Variable(array) if node.kind == "variable" else tf.convert_to_tensor(array)


def fill_tensor(value: Any, node: Array, unpacking: Unpacking) -> None:
    """Only a variable can change."""
    if node.kind == "variable":
        value.assign(make_array(node, unpacking))


def pack_type(value: Any, packing: Packing, where: str) -> Packed:
    """`tf.float32`, `tf.TensorShape`, `tf.TensorSpec`, or NotMine."""
    tf: Any = sys.modules.get("tensorflow")
    if tf is None:
        return NotMine
    if isinstance(value, tf.DType):
        return Made("tf.DType", [value.name])
    if isinstance(value, tf.TensorShape):
        sizes = tuple(value.as_list()) if value.rank is not None else None
        return Made("tf.TensorShape", [packing.node(sizes, where)])
    if type(value) is tf.TensorSpec:
        parts = (value.shape, value.dtype, value.name)
        return Made("tf.TensorSpec", [packing.node(part, where) for part in parts])
    return NotMine


def make_type(node: Made, unpacking: Unpacking) -> Any:
    """The type again."""
    import tensorflow as tf

    makers = {
        "tf.DType": tf.as_dtype,
        "tf.TensorShape": tf.TensorShape,
        "tf.TensorSpec": tf.TensorSpec,
    }
    return makers[node.of](*(unpacking.value(part) for part in node.parts))
