"""Leaves out what costs most of the time of a trace, and nothing of the memory."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from fitguard.memory.model_variables import replacing_update, variable_bytes

SMALL_BYTES = 64 * 1024


@contextlib.contextmanager
def cutting_small_updates(model: Any) -> Iterator[None]:
    """Inside, the optimizer's update of a small variable is one operation instead of twenty."""
    with contextlib.ExitStack() as stack:
        optimizer = getattr(model, "optimizer", None)
        while optimizer is not None:
            if hasattr(optimizer, "update_step"):
                stack.enter_context(
                    replacing_update(optimizer, _wrap_update_step(optimizer.update_step))
                )
            optimizer = getattr(optimizer, "inner_optimizer", None)
        yield


def _wrap_update_step(whole: Callable[..., Any]) -> Callable[..., Any]:
    import tensorflow as tf

    def update_step(gradient: Any, variable: Any, *rest: Any) -> Any:
        if variable_bytes(variable) >= SMALL_BYTES or not isinstance(gradient, tf.Tensor):
            return whole(gradient, variable, *rest)
        return variable.assign_sub(tf.cast(gradient, variable.dtype))

    return update_step
