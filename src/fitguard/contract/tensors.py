"""What is known of tensors while a graph is traced."""

from typing import Any


def constant_shape(shape: Any) -> Any:
    """A shape that is given as a tensor, as far as its numbers are known; None for each other."""
    from tensorflow.python.framework import tensor_util

    return tensor_util.constant_value_as_shape(shape)
