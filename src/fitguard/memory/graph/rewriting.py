"""What TensorFlow's graph optimizer makes of a step for a GPU, on a machine without one."""

from typing import Any

from fitguard.memory.graph.folding import fold
from fitguard.memory.graph.quiet import log_dropped
from fitguard.memory.graph.tracing import Traced

PASSES = ("pruning", "function", "common_subgraph_elimination")
"""Those that change the memory of a step most. Constant folding is left out: it would compute
constants of the size of the batch."""
LAYOUT_MATTERS = ("Conv", "DepthwiseConv", "MaxPool", "AvgPool", "FusedBatchNorm")
"""Only for these the layout pass is worth its time, which is most of it."""
PLACE = "/job:localhost/replica:0/task:0/device:"


def rewritten(traced: Traced, capability: str = "9.0") -> Any:
    """The graph with convolutions in the layout that the GPU wants, and functions inlined.

    Args:
        capability: The GPU's compute capability.

    Returns:
        A GraphDef.
    """
    from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
    from tensorflow.python.grappler import tf_optimizer

    graph = traced.function.graph
    meta = meta_graph_pb2.MetaGraphDef()
    meta.graph_def.CopyFrom(graph.as_graph_def(add_shapes=True))
    for node in meta.graph_def.node:
        node.device = f"{PLACE}GPU:0"
    kept = [operation.name for operation in graph.control_outputs]
    kept += [tensor.op.name for tensor in traced.function.outputs]
    meta.collection_def["train_op"].node_list.value.extend(kept)
    fold(meta.graph_def, set(kept))
    config = config_pb2.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    rewrite.min_graph_nodes = -1
    rewrite.meta_optimizer_iterations = rewrite.TWO
    rewrite.optimizers.extend(PASSES)
    if _has_images(meta.graph_def):
        rewrite.optimizers.append("layout")
    with log_dropped():
        return tf_optimizer.OptimizeGraph(
            config, meta, verbose=False, graph_id=b"fitguard", cluster=_virtual_gpu(capability)
        )


def _has_images(graph: Any) -> bool:
    """Whether the layout matters to an operation, of a function's body too."""
    bodies = [graph.node, *(function.node_def for function in graph.library.function)]
    return any(node.op.startswith(LAYOUT_MATTERS) for nodes in bodies for node in nodes)


def _virtual_gpu(capability: str) -> Any:
    from tensorflow.core.protobuf.device_properties_pb2 import NamedDevice
    from tensorflow.python.grappler.cluster import Cluster

    cpu, gpu = NamedDevice(name=f"{PLACE}CPU:0"), NamedDevice(name=f"{PLACE}GPU:0")
    cpu.properties.type, gpu.properties.type = "CPU", "GPU"
    gpu.properties.environment["architecture"] = capability
    return Cluster(devices=[cpu, gpu])
