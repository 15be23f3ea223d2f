"""How long an operation takes, as a part of the step: by what it computes, and what it moves."""

import math

from fitguard.memory.graph.kernels import CUDNN_CONVOLUTIONS, FILTER_GRADIENTS, INPUT_GRADIENTS
from fitguard.memory.graph.kernels import VIEWS as _VIEWS
from fitguard.memory.graph.nodes import Node
from fitguard.memory.recomputing.graph import size_of_output

_PRODUCTS = frozenset(("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "Einsum"))
_DEPTHWISE = frozenset(("DepthwiseConv2dNative",))
EXPENSIVE = CUDNN_CONVOLUTIONS | _PRODUCTS | _DEPTHWISE
"""What is computed again last: nearly all of the time of a step goes into these."""

OPERATIONS_PER_BYTE = 40
"""How many operations a processor does in the time in which it moves a byte: 10 to 300."""


def expense(node: Node) -> float:
    """Seconds times the bandwidth of the memory: bytes that could be moved meanwhile."""
    if node.op in _VIEWS or node.op in ("Const", "ReadVariableOp", "Placeholder", "NoOp"):
        return 0.0
    moved = sum(size_of_output(given) for given in node.inputs)
    moved += sum(size.at(1) for size in node.sizes)
    return moved + _count_operations(node) / OPERATIONS_PER_BYTE


def _count_operations(node: Node) -> float:
    if node.op in CUDNN_CONVOLUTIONS:
        return _of_convolution(node)
    if node.op in _PRODUCTS:
        return _of_product(node)
    return 0.0


def _of_convolution(node: Node) -> float:
    """Twice: each number of the smaller side with each of the filter, but for its outputs."""
    if node.op in FILTER_GRADIENTS:
        window, image = _shape(node, None), _shape(node, 2)
    elif node.op in INPUT_GRADIENTS:
        window, image = _shape(node, 1), _shape(node, 2)
    else:
        window, image = _shape(node, 1), _shape(node, None)
    if not window or not image:
        return 0.0
    return 2.0 * math.prod(image) * math.prod(window[:-1])


def _of_product(node: Node) -> float:
    """Twice the square root of the three sizes: exact for plain matrices."""
    # A number of rows that only the data tell is -1.
    sizes = [abs(math.prod(_shape(node, index) or (0,))) for index in (0, 1, None)]
    return 2.0 * math.sqrt(math.prod(map(float, sizes)))


def _shape(node: Node, index: int | None) -> tuple[int, ...] | None:
    """Of an input; of the output for None."""
    if index is None:
        return node.shapes[0] if node.shapes else None
    if index >= len(node.inputs):
        return None
    producer, output = node.inputs[index]
    return producer.shapes[output] if output < len(producer.shapes) else None
