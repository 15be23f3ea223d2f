"""What XLA makes of some operations before it fuses any, where that changes the memory."""

from dataclasses import replace

from fitguard.memory.xla.graph import S32, Graph, Operation, Value
from fitguard.memory.xla.sizes import Polynomial, product


def without_relu(graph: Graph, operands: list[int]) -> list[int]:
    """The operands of a comparison, with x in place of relu(x) where that is compared with zero.

    So the backward pass reads what went into the activation, not what came out of it, and both
    stay in memory.
    """
    left, right = operands
    producer = graph.values[left].producer
    if producer is None or graph.operations[producer].opcode != "maximum":
        return operands
    inside = graph.operations[producer].operands
    return [inside[0], right] if _is_zero(graph, inside[1]) and _is_zero(graph, right) else operands


def _is_zero(graph: Graph, value: int) -> bool:
    """Whether it is a constant without any bit set, or that constant in all elements."""
    producer = graph.values[value].producer
    if producer is None:
        return False
    operation = graph.operations[producer]
    if operation.opcode == "broadcast":
        return _is_zero(graph, operation.operands[0])
    return operation.opcode == "constant" and operation.is_zero


def expand_select_and_scatter(
    graph: Graph, operands: list[int], rank: int, scope: str
) -> list[int]:
    """The gradient of max pooling: find the place of each maximum, then scatter to the places.

    The places are one 32-bit integer for each axis and each pooled element, twice: as they are
    found, and in the order that the scatter wants.
    """
    operand, source, _ = operands
    pooled, whole = graph.values[source], graph.values[operand]
    start = _zeros(graph, whole, scope)
    elements = product(pooled.dims)
    found = _add(graph, "reduce-window", [operand], [((elements,), S32)] * rank, scope)
    places = _add(graph, "index-rows", found, [((elements, (rank,)), S32)], scope)
    into = [start, *places, source]
    return _add(graph, "scatter", into, [(whole.dims, whole.dtype)], scope)


def _zeros(graph: Graph, like: Value, scope: str) -> int:
    """Zeros that may be overwritten.

    Where an activation has made zeros of that shape already, XLA takes those: they come into
    memory then, twice, because one of them must stay as it is.
    """
    for index, operation in enumerate(graph.operations):
        if operation.opcode == "broadcast" and _same_array(graph, operation, like):
            copy = graph.add_value(Value.of(like.dims, like.dtype, index))
            results = (*operation.results, copy)
            graph.operations[index] = replace(operation, opcode="zeros", results=results)
            return copy
    return _add(graph, "zeros", [], [(like.dims, like.dtype)], scope)[0]


def _same_array(graph: Graph, operation: Operation, like: Value) -> bool:
    made = graph.values[operation.results[0]]
    alike = (made.dims, made.dtype) == (like.dims, like.dtype)
    return alike and _is_zero(graph, operation.operands[0])


def _add(
    graph: Graph,
    opcode: str,
    operands: list[int],
    shapes: list[tuple[tuple[Polynomial, ...], int]],
    scope: str,
) -> list[int]:
    producer = len(graph.operations)
    results = [graph.add_value(Value.of(dims, dtype, producer)) for dims, dtype in shapes]
    graph.operations.append(Operation(opcode, tuple(operands), tuple(results), scope))
    return results
