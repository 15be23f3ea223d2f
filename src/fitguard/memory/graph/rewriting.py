"""What TensorFlow's graph optimizer makes of a step for a GPU, on a machine without one."""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

from fitguard.contract.graphs import optimize_for_gpu
from fitguard.knowledge.gpus import USUAL_CAPABILITY
from fitguard.memory.graph.folding import fold
from fitguard.memory.graph.tracing import Traced

STDERR = 2

PASSES = ("pruning", "function", "common_subgraph_elimination")
"""Those that change the memory of a step most. Constant folding is left out: it would compute
constants of the size of the batch."""
LAYOUT_MATTERS = ("Conv", "DepthwiseConv", "MaxPool", "AvgPool", "FusedBatchNorm")
"""Only for these the layout pass is worth its time, which is most of it."""


def rewrite_graph(
    traced: Traced, capability: str = USUAL_CAPABILITY, *, turns_images: bool = True
) -> Any:
    """The graph with convolutions in the layout that the GPU wants, and functions inlined.

    Args:
        capability: The GPU's compute capability.
        turns_images: False where they stay in the layout that they have.

    Returns:
        A GraphDef.
    """
    graph = traced.function.graph
    definition = graph.as_graph_def(add_shapes=True)
    kept = [operation.name for operation in graph.control_outputs]
    kept += [tensor.op.name for tensor in traced.function.outputs]
    fold(definition, set(kept))
    passes = [*PASSES, "layout"] if turns_images and _has_images(definition) else PASSES
    with dropping_log():
        return optimize_for_gpu(definition, kept, passes, capability)


def _has_images(graph: Any) -> bool:
    """Whether the layout matters to an operation, of a function's body too."""
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    return any(node.op.startswith(LAYOUT_MATTERS) for nodes in bodies for node in nodes)


@contextlib.contextmanager
def dropping_log() -> Iterator[None]:
    """Inside, what native code writes to stderr is dropped.

    For a GPU that is not there, the graph optimizer logs a warning for each operation. The level of
    the log is read once, when TensorFlow is loaded, so it cannot be changed here.
    """
    try:
        kept = os.dup(STDERR)
    except OSError:  # closed
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    if sys.stderr is not None:
        sys.stderr.flush()
    os.dup2(nowhere, STDERR)
    try:
        yield
    finally:
        os.dup2(kept, STDERR)
        os.close(nowhere)
        os.close(kept)
