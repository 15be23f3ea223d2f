"""The variables of models and optimizers, of Keras 3, tf_keras and TensorFlow alike."""

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import Any


def variable_bytes(variable: Any) -> int:
    """The size of its value."""
    import tensorflow as tf

    return math.prod(map(int, variable.shape)) * int(tf.as_dtype(variable.dtype).size)


def optimizer_variables(optimizer: Any) -> list[Any]:
    """All of them; in tf_keras a method for some optimizers, an attribute for others."""
    variables = getattr(optimizer, "variables", ())
    return list(variables() if callable(variables) else variables)


@contextlib.contextmanager
def replacing_update(optimizer: Any, update_step: Callable[..., Any]) -> Iterator[None]:
    """Inside, the optimizer changes variables in another way; the user's is put back."""
    optimizer.update_step = update_step
    try:
        yield
    finally:
        del optimizer.update_step
