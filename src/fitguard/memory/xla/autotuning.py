"""What XLA takes while it compiles: it tries each library call with buffers of its own."""

from fitguard.memory.xla.graph import Graph, Operation
from fitguard.memory.xla.sizes import evaluate, product
from fitguard.memory.xla.workspace import CUBLAS_BYTES

RED_ZONES_BYTES = 16 * 2**20
"""Beside each buffer of a trial, to see whether a kernel writes where it must not: twice 8 MiB."""
SPLIT_BYTES = 256 * 2**20
MOST_SPLITS = 32
SPLIT_DEPTH = 128
"""A product is also tried in up to 32 parts along its inner dimension, each of at least 128; their
results did not take more than 256 MiB together, seen on a H200."""
SCRATCH_TIMES = 6.0
"""What a convolution with a window was seen to try, in units of its largest array (seed_cnn on a
H200, at 64 and at 512)."""


def trial_bytes(graph: Graph, batch: int) -> int:
    """The dearest trial; nothing else of the step but variables and inputs is in memory then."""
    needed = (graph.operations[index] for index in graph.find_needed_operations())
    return max((_trial(graph, operation, batch) for operation in needed), default=0)


def _trial(graph: Graph, operation: Operation, batch: int) -> int:
    if operation.opcode == "dot":
        return _dot(graph, operation, batch)
    if operation.opcode == "convolution":
        return _convolution(graph, operation, batch)
    return max((trial_bytes(body, batch) for body in operation.bodies), default=0)


def _sizes(graph: Graph, values: tuple[int, ...], batch: int) -> list[int]:
    return [evaluate(graph.values[value].bytes, batch) for value in values]


def _dot(graph: Graph, operation: Operation, batch: int) -> int:
    operands = _sizes(graph, operation.operands, batch)
    result = sum(_sizes(graph, operation.results, batch))
    parts = min(_depth(graph, operation, batch) // SPLIT_DEPTH, MOST_SPLITS)
    parts = min(parts, SPLIT_BYTES // max(result, 1))
    split = 2 ** (parts.bit_length() - 1) * result if parts > 1 else 0
    zones = (len(operands) + 2) * RED_ZONES_BYTES
    return sum(operands) + zones + 2 * result + max(split, result) + CUBLAS_BYTES


def _depth(graph: Graph, operation: Operation, batch: int) -> int:
    """The inner dimension of a product: √(|A|·|B|/|C|), exact where there is no batch of them."""
    left, right, result = (
        evaluate(product(graph.values[value].dims), batch)
        for value in (*operation.operands, *operation.results)
    )
    return int((left * right / max(result, 1)) ** 0.5)


def _convolution(graph: Graph, operation: Operation, batch: int) -> int:
    arrays = _sizes(graph, (*operation.operands, *operation.results), batch)
    windowed = operation.groups == 1 and any(size > 1 for size in operation.window)
    scratch = int(SCRATCH_TIMES * max(arrays)) if windowed else max(arrays)
    return sum(arrays) + len(arrays) * RED_ZONES_BYTES + scratch
