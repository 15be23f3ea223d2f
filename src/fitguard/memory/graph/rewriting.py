"""What TensorFlow's graph optimizer makes of a step for a GPU, on a machine without one."""

from typing import Any

from fitguard.contract.graphs import optimize_for_gpu
from fitguard.knowledge.gpus import USUAL_CAPABILITY
from fitguard.memory.graph.folding import fold
from fitguard.memory.graph.quiet import dropping_log
from fitguard.memory.graph.tracing import Traced

PASSES = ("pruning", "function", "common_subgraph_elimination")
"""Those that change the memory of a step most. Constant folding is left out: it would compute
constants of the size of the batch."""
LAYOUT_MATTERS = ("Conv", "DepthwiseConv", "MaxPool", "AvgPool", "FusedBatchNorm")
"""Only for these the layout pass is worth its time, which is most of it."""


def rewrite_graph(traced: Traced, capability: str = USUAL_CAPABILITY) -> Any:
    """The graph with convolutions in the layout that the GPU wants, and functions inlined.

    Args:
        capability: The GPU's compute capability.

    Returns:
        A GraphDef.
    """
    graph = traced.function.graph
    definition = graph.as_graph_def(add_shapes=True)
    kept = [operation.name for operation in graph.control_outputs]
    kept += [tensor.op.name for tensor in traced.function.outputs]
    fold(definition, set(kept))
    passes = [*PASSES, "layout"] if _has_images(definition) else PASSES
    with dropping_log():
        return optimize_for_gpu(definition, kept, passes, capability)


def _has_images(graph: Any) -> bool:
    """Whether the layout matters to an operation, of a function's body too."""
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    return any(node.op.startswith(LAYOUT_MATTERS) for nodes in bodies for node in nodes)
