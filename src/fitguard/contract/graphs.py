"""Graphs of TensorFlow: what is in them, and what Grappler and XLA make of them."""

from collections.abc import Iterator, Sequence
from typing import Any

PLACE = "/job:localhost/replica:0/task:0/device:"
_STAND_IN = f"{PLACE}GPU_JIT:0"
"""A GPU for Grappler. Where a device has no kernel for an operation, TensorFlow warns, and lists
where it has one: that took three quarters of the time. It does not for a `JIT` device."""


def bodies_within(graph: Any) -> Iterator[Any]:
    """A graph, and those of the functions that it calls: a `FunctionDef` where one has no graph."""
    seen: dict[int, Any] = {}
    waiting = [graph]
    while waiting:
        body = waiting.pop()
        if id(body) in seen:
            continue
        seen[id(body)] = body
        yield body
        if hasattr(body, "get_operations"):
            waiting += [_body(function) for function in body._functions.values()]


def _body(function: Any) -> Any:
    graph = getattr(function, "graph", None)
    if graph is not None:
        return graph
    return getattr(function, "definition", None) or function.function_def


def operation_definition(kind: str) -> Any:
    """The `OpDef` of a kind of operation; None where TensorFlow knows none of this name."""
    from tensorflow.python.framework import op_def_registry

    return op_def_registry.get(kind)


def optimize_for_gpu(
    graph: Any, kept: Sequence[str], passes: Sequence[str], capability: str
) -> Any:
    """What Grappler makes of a graph for a GPU that need not be here.

    Args:
        graph: A `GraphDef`.
        kept: Names of nodes that must stay.
        passes: Of Grappler.
        capability: The GPU's compute capability, such as "9.0".
    """
    import tensorflow as tf
    from tensorflow.python.grappler import tf_optimizer

    meta = tf.compat.v1.MetaGraphDef(graph_def=graph)
    for node in meta.graph_def.node:
        node.device = _STAND_IN
    meta.collection_def["train_op"].node_list.value.extend(kept)
    config = tf.compat.v1.ConfigProto()
    rewrite = config.graph_options.rewrite_options
    rewrite.min_graph_nodes = -1
    rewrite.meta_optimizer_iterations = rewrite.TWO
    rewrite.optimizers.extend(passes)
    placeholders = _give_as_arguments(meta.graph_def)
    optimized = tf_optimizer.OptimizeGraph(
        config, meta, verbose=False, graph_id=b"fitguard", cluster=_virtual_gpu(capability)
    )
    for node in optimized.node:
        if node.name in placeholders:
            node.CopyFrom(placeholders[node.name])
    return optimized


def _give_as_arguments(graph: Any) -> dict[str, Any]:
    """Have placeholders stand for arguments; the placeholders by name, as they were.

    Grappler makes a tensor for each placeholder, with all its numbers: for a batch that can be
    gigabytes, and where there is no memory for it, the process dies.
    """
    placeholders = {}
    for node in graph.node:
        if node.op == "Placeholder":
            placeholders[node.name] = type(node).FromString(node.SerializeToString())
            node.op = "_Arg"
            node.attr["T"].type = node.attr["dtype"].type
            node.attr["index"].i = len(placeholders) - 1
            del node.attr["dtype"], node.attr["shape"]
    return placeholders


def _virtual_gpu(capability: str) -> Any:
    from tensorflow.core.protobuf.device_properties_pb2 import NamedDevice
    from tensorflow.python.grappler.cluster import Cluster

    cpu, gpu = NamedDevice(name=f"{PLACE}CPU:0"), NamedDevice(name=f"{PLACE}GPU:0")
    cpu.properties.type, gpu.properties.type = "CPU", "GPU"
    gpu.properties.environment["architecture"] = capability
    return Cluster(devices=[cpu, gpu])


def lower_to_hlo(function: Any, specs: Sequence[Any]) -> Any:
    """A concrete function as `HloModuleProto`, before XLA optimizes it.

    Args:
        specs: The shapes to compile it for; those that it was traced with may be open.
    """
    from tensorflow.compiler.xla.service import hlo_pb2
    from tensorflow.python.eager.polymorphic_function import compiler_ir

    serialized = compiler_ir.from_concrete_function(function, specs)(stage="hlo_serialized")
    return hlo_pb2.HloModuleProto.FromString(serialized)


def constant_shape(shape: Any) -> Any:
    """A shape that is given as a tensor, as far as its numbers are known; None for each other."""
    from tensorflow.python.framework import tensor_util

    return tensor_util.constant_value_as_shape(shape)
