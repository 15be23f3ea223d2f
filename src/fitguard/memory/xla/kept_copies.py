"""Variables of which XLA keeps a copy while it updates them."""

from fitguard.memory.xla.graph import Graph
from fitguard.memory.xla.sizes import evaluate


def count_kept_copy_bytes(graph: Graph, batch: int) -> int:
    """Of the variables that are overwritten while rows of them are still looked up.

    The lookup is fused into kernels that run late, so the old rows must stay: seen on a H200 for
    the embedding of a transformer, with Adam and with SGD.
    """
    overwritten = {graph.parameters[parameter] for parameter in graph.aliases.values()}
    looked_up = {
        operation.operands[0] for operation in graph.operations if operation.opcode == "gather"
    }
    return sum(
        evaluate(graph.values[value].bytes, batch) for value in overwritten.intersection(looked_up)
    )
