"""Graphs of a few operations as nodes."""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

from fitguard.memory.graph.nodes import Node, read_nodes
from fitguard.memory.graph.shapes import shapes_by_name

BATCH = 1009


def nodes_of(function: Callable[..., Any], *shapes: tuple[int, ...]) -> list[Node]:
    """As they were traced, nothing rewritten; the batch is 1009."""
    specs = [tf.TensorSpec(shape, tf.float32) for shape in shapes]
    graph = tf.function(function, autograph=False).get_concrete_function(*specs).graph
    return read_nodes(graph.as_graph_def().node, shapes_by_name(graph), BATCH)


def the(nodes: list[Node], kind: str) -> Node:
    """The only operation of this kind."""
    (found,) = (node for node in nodes if node.op == kind)
    return found
