"""Whether a number is divided by what the values of all rows decide."""

from typing import Any

import tensorflow as tf

from fitguard.contract.own_functions import captured_handles

_BY_SECOND = frozenset({"Div", "DivNoNan", "FloorDiv", "RealDiv", "TruncateDiv"})
_BY_FIRST = frozenset({"Inv", "Reciprocal", "Rsqrt"})
_SIZES = frozenset({"Rank", "Shape", "ShapeN", "Size"})


def divides_by_rows(value: Any) -> bool:
    """Whether a division by one number, which depends on values of the batch, is part of it.

    Such as the mean over what is not masked. The number of rows does not depend on their values.
    """
    if not hasattr(value, "op") or tf.executing_eagerly():
        return False
    captured = captured_handles(value.graph)
    return any(
        _reads_batch(divisor, captured)
        for operation in _list_before(value.op)
        if (divisor := _find_divisor(operation)) is not None
    )


def _find_divisor(operation: Any) -> Any:
    if operation.type in _BY_SECOND:
        divisor = operation.inputs[1]
    elif operation.type in _BY_FIRST:
        divisor = operation.inputs[0]
    else:
        return None
    return divisor if divisor.shape.num_elements() == 1 else None


def _reads_batch(tensor: Any, captured: dict[str, int]) -> bool:
    return any(
        operation.type == "Placeholder" and operation.name not in captured
        for operation in _list_before(tensor.op)
    )


def _list_before(operation: Any) -> list[Any]:
    """The operation and all that it depends on, but for what only asks for sizes."""
    found, waiting = {operation.name: operation}, [operation]
    while waiting:
        for given in waiting.pop().inputs:
            if given.op.name not in found and given.op.type not in _SIZES:
                found[given.op.name] = given.op
                waiting.append(given.op)
    return list(found.values())
