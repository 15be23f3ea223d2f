"""Follows the whole numbers that decide how often a loop runs."""

import operator
from collections.abc import Callable, Sequence

from fitguard.memory.graph.nodes import Node

ARITHMETIC: dict[str, Callable[[int, int], int | bool]] = {
    "Add": operator.add,
    "AddV2": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "FloorDiv": lambda a, b: a // b if b else 0,
    "Maximum": max,
    "Minimum": min,
    "Less": operator.lt,
    "LessEqual": operator.le,
    "Greater": operator.gt,
    "GreaterEqual": operator.ge,
    "Equal": operator.eq,
    "NotEqual": operator.ne,
    "LogicalAnd": lambda a, b: bool(a and b),
    "LogicalOr": lambda a, b: bool(a or b),
}
PASSED_ON = {"Cast", "LoopCond", "Squeeze", "Reshape"}


def number_of(node: Node, given: Sequence[int | None]) -> int | None:
    """The number that an operation on numbers gives; None for all others."""
    if node.op == "Const":
        return _constant(node)
    if node.op in PASSED_ON and given:
        return given[0]
    if node.op == "LogicalNot" and given[0] is not None:
        return not given[0]
    compute = ARITHMETIC.get(node.op)
    if compute is None or len(given) != 2 or given[0] is None or given[1] is None:
        return None
    return compute(given[0], given[1])


def _constant(node: Node) -> int | None:
    tensor = node.attributes["value"].tensor
    if tensor.tensor_shape.dim:
        return None
    for values in (tensor.int_val, tensor.int64_val, tensor.bool_val):
        if len(values) == 1:
            return int(values[0])
    return None
