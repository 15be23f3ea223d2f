"""The variables that a function has captured, of which only the handles are at hand."""

from typing import Any


def is_variable(tensor: Any) -> bool:
    """Whether it is the handle of a variable."""
    data = getattr(tensor, "_handle_data", None)
    return tensor.dtype.name == "resource" and data is not None and len(data.shape_and_type) == 1


def variable_spec(handle: Any) -> Any:
    """The shape and the dtype of the variable, as a `tf.TensorSpec`."""
    import tensorflow as tf

    held = handle._handle_data.shape_and_type[0]
    return tf.TensorSpec(tf.TensorShape(held.shape), tf.as_dtype(held.dtype))


def read_variable(handle: Any) -> Any:
    """Its value: a tensor that shares its memory until the variable is written to."""
    import tensorflow as tf

    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=variable_spec(handle).dtype)
