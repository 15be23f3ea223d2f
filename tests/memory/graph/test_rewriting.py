"""The graph as TensorFlow rewrites it for a GPU."""

from collections import Counter
from functools import cache

import pytest
from memory.graph.tiny_steps import convolutions, loop

from fitguard.contract.graphs import optimize_for_gpu
from fitguard.memory.graph.rewriting import PASSES, rewrite_graph
from fitguard.memory.graph.tracing import Traced, trace


@cache
def traced(policy: str, *, dropout: bool = False) -> Traced:
    return trace(convolutions(policy, dropout=dropout))


def formats(policy: str, capability: str, *, dropout: bool = False) -> tuple[set[bytes], int]:
    """The layouts of convolutions, and how many transpositions of images there are."""
    nodes = rewrite_graph(traced(policy, dropout=dropout), capability).node
    layouts = {node.attr["data_format"].s for node in nodes if "Conv2D" in node.op}
    return layouts, sum(node.op == "Transpose" for node in nodes)


def test_float32_convolutions_want_channels_first() -> None:
    layouts, transpositions = formats("float32", "9.0")
    assert layouts == {b"NCHW"}
    assert transpositions > 0


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
def test_tensor_cores_want_channels_last(policy: str) -> None:
    assert formats(policy, "9.0") == ({b"NHWC"}, 0)


def test_a_gpu_without_tensor_cores_wants_channels_first_for_float16_too() -> None:
    layouts, transpositions = formats("mixed_float16", "6.1")
    assert layouts == {b"NCHW"}
    assert transpositions > 0


def test_dropout_between_convolutions_keeps_them_as_they_are() -> None:
    """The layout pass fails at the SelectV2 in it, and leaves the graph alone; on a GPU too."""
    assert formats("float32", "9.0", dropout=True) == ({b"NHWC"}, 0)


def test_functions_are_inlined_and_loops_are_made_of_single_operations() -> None:
    graph = rewrite_graph(trace(loop(4)))
    kinds = Counter(node.op for node in graph.node)
    assert kinds["Enter"] > 0 < kinds["NextIteration"]
    assert not {"While", "StatelessWhile", "PartitionedCall", "StatefulPartitionedCall"} & {*kinds}


def test_what_nobody_needs_is_gone() -> None:
    before = traced("float32").function.graph.as_graph_def().node
    after = rewrite_graph(traced("float32")).node
    names = {node.name for node in after}
    needed = {name.lstrip("^").partition(":")[0] for node in after for name in node.input}
    assert needed <= names
    assert any(node.name not in names for node in before)


def test_a_batch_that_has_no_room_here_is_no_obstacle() -> None:
    """The optimizer would make a tensor of each placeholder, with all its numbers."""
    import tensorflow as tf

    terabytes = tf.TensorSpec((2**22, 2**18), tf.float32)
    function = tf.function(lambda rows: tf.reduce_sum(rows * 2.0), [terabytes])
    graph = function.get_concrete_function().graph
    (kept,) = [node.name for node in graph.as_graph_def().node if node.op == "Sum"]
    optimized = optimize_for_gpu(graph.as_graph_def(add_shapes=True), [kept], PASSES, "8.0")
    (placeholder,) = [node for node in optimized.node if node.op == "Placeholder"]
    assert placeholder.attr["dtype"].type == tf.float32.as_datatype_enum
    assert [axis.size for axis in placeholder.attr["shape"].shape.dim] == [2**22, 2**18]
