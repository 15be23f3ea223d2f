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
WHOLE = (3, 9, 10)
"""TensorFlow's numbers for int32, int64 and bool."""
PASSED_ON = {"Cast", "Squeeze", "Reshape", "Max", "Min", "Sum", "Mean", "Prod"}
"""What they give for a single number is that number."""


def number_of(node: Node, given: Sequence[int | None]) -> int | None:
    """The number that an operation on numbers gives; None for all others."""
    if node.op in PASSED_ON and given:
        return given[0]
    if node.op == "LogicalNot" and given[0] is not None:
        return not given[0]
    compute = ARITHMETIC.get(node.op)
    if compute is None or len(given) != 2:
        return None
    left, right = given
    if node.op == "LogicalAnd" and (left is None or right is None):
        return left if right is None else right  # what is not known does not end a loop
    return None if left is None or right is None else compute(left, right)


def read_constant(node: Node) -> int | None:
    """The number that a constant is; read once, as a step is run on paper dozens of times."""
    if node.number is ...:
        node.number = _read_number(node)
    return node.number


def _read_number(node: Node) -> int | None:
    tensor = node.attributes["value"].tensor
    if tensor.tensor_shape.dim or tensor.dtype not in WHOLE:
        return None
    from tensorflow import make_ndarray

    return int(make_ndarray(tensor))
