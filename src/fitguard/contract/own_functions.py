"""What a `tf.function` of the user's is made of, and what its code may use from anywhere."""

import gc
from collections.abc import Callable
from typing import Any

from fitguard.contract.libraries import Library, is_a, library_of

_OPTIMIZERS = ("Optimizer", "OptimizerV2", "BaseOptimizer")


def code_of(function: Any) -> Callable[..., Any]:
    """What a `tf.function` runs when it is traced; for a plain function, what it would run."""
    import tensorflow as tf
    from tensorflow.python.autograph.core import ag_ctx

    code: Callable[..., Any] = getattr(function, "python_function", function)
    if not getattr(function, "_autograph", True):
        return code
    context = ag_ctx.ControlStatusCtx(status=ag_ctx.Status.ENABLED)
    converted: Callable[..., Any] = tf.__internal__.autograph.tf_convert(code, context)
    return converted


def find_metrics(library: Library) -> list[Any]:
    """All metrics of this process: a loop may hold its own anywhere, as in a global variable."""
    found = (thing for thing in gc.get_objects() if is_a(thing, "Metric"))
    return [metric for metric in found if library_of(metric) == library]


def find_other_optimizers(optimizer: Any) -> list[Any]:
    """All optimizers of this process but this one, and what it wraps."""
    inner = getattr(optimizer, "inner_optimizer", None)
    return [
        thing
        for thing in gc.get_objects()
        if thing is not optimizer and thing is not inner and is_a(thing, *_OPTIMIZERS)
    ]


def read_handles(tensor: Any) -> set[int]:
    """Ids of the handles of all variables that a symbolic tensor depends on."""
    captured = captured_handles(tensor.graph)
    seen = {tensor.op.name}
    waiting, found = [tensor.op], set()
    while waiting:
        operation = waiting.pop()
        if operation.name in captured:
            found.add(captured[operation.name])
        for given in operation.inputs:
            if given.op.name not in seen:
                seen.add(given.op.name)
                waiting.append(given.op)
    return found


def captured_handles(graph: Any) -> dict[str, int]:
    """What a graph captures: ids of tensors from outside, by the name of the placeholder inside."""
    return {inner.op.name: id(outer) for outer, inner in graph.captures}
