"""What is in a graph, of the functions that it calls too."""

from typing import Any

import tensorflow as tf

from fitguard.contract.graphs import bodies_within, operation_definition
from fitguard.contract.traces import find_traced_bodies

SCALAR = tf.TensorSpec((), tf.float32)


def kinds(body: Any) -> set[str]:
    return {operation.type for operation in body.get_operations()}


def test_functions_in_functions_are_found_once() -> None:
    innermost = tf.function(lambda x: tf.cos(x))
    inner = tf.function(lambda x: innermost(x) + innermost(x))
    outer = tf.function(lambda x: tf.sin(inner(x)) + innermost(x))
    graph = outer.get_concrete_function(SCALAR).graph

    bodies = list(bodies_within(graph))

    assert bodies[0] is graph
    assert sum("Cos" in kinds(body) for body in bodies) == 1
    assert [id(body) for body in find_traced_bodies(outer)] == [id(body) for body in bodies]


def test_functions_that_were_imported_have_a_definition_alone() -> None:
    inner = tf.function(lambda x: tf.cos(x))
    definition = tf.function(inner).get_concrete_function(SCALAR).graph.as_graph_def()

    with tf.Graph().as_default() as graph:
        tf.graph_util.import_graph_def(definition, name="")

    _, *called = bodies_within(graph)
    assert "Cos" in {node.op for body in called for node in body.node_def}


def test_operations_by_their_name() -> None:
    assert operation_definition("RandomUniform").is_stateful
    assert operation_definition("NoSuchOperation") is None
