"""The `tf.function` inside of what Keras calls its train function."""

from collections.abc import Iterator
from typing import Any

_DEEPEST = 4


def find_traced_functions(train_function: Any) -> Iterator[Any]:
    """Those that it calls; none where it runs eagerly. The first one takes the iterator."""
    yield from _within(train_function, _DEEPEST)


def trace(native: Any, iterator: Any) -> bool:
    """Make all variables that the first step makes, without a step; False where it runs eagerly.

    Optimizers and metrics have none before, models of tf_keras neither. The trace is kept: Keras
    finds it when it takes its step.
    """
    function = next(find_traced_functions(native), None)
    if function is None:
        return False
    function.get_concrete_function(iterator)
    return True


def _within(function: Any, depth: int) -> Iterator[Any]:
    """Keras 3 hides it in the closure of a plain function."""
    import tensorflow as tf

    if isinstance(function, tf.types.experimental.GenericFunction):
        yield function
    elif depth and callable(function):
        for cell in getattr(function, "__closure__", None) or ():
            yield from _within(cell.cell_contents, depth - 1)
