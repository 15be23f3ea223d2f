"""What libraries need while they compute: cuBLAS and cuDNN."""

from fitguard.memory.xla.graph import Graph, Operation
from fitguard.memory.xla.sizes import evaluate

CUBLAS_BYTES = 32 * 2**20
"""What XLA gives cuBLAS on a H200 at most; never more than the two matrices take."""


def workspace_bytes(graph: Graph, operation: Operation, batch: int) -> int:
    if operation.opcode != "dot":
        return 0
    operands = sum(evaluate(graph.values[value].bytes, batch) for value in operation.operands)
    return min(CUBLAS_BYTES, operands)
