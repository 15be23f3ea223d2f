"""The whole numbers that decide how often a loop runs."""

import pytest
import tensorflow as tf

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.numbers import number_of, read_constant


@pytest.mark.parametrize(
    ("kind", "given", "number"),
    [
        ("AddV2", (2, 3), 5),
        ("Sub", (2, 3), -1),
        ("Mul", (2, 3), 6),
        ("FloorDiv", (7, 2), 3),
        ("FloorDiv", (7, 0), 0),
        ("Minimum", (7, 2), 2),
        ("Less", (2, 3), 1),
        ("Less", (3, 3), 0),
        ("Less", (None, 3), None),
        ("Cast", (4,), 4),
        ("LogicalNot", (1,), 0),
        ("LogicalNot", (None,), None),
        ("LogicalAnd", (1, 0), 0),
        ("LogicalAnd", (None, 0), 0),
        ("LogicalAnd", (1, None), 1),
        ("LogicalOr", (None, 1), None),
        ("MatMul", (2, 3), None),
        ("AddV2", (None, None), None),
    ],
)
def test_operations(kind: str, given: tuple[int | None, ...], number: int | None) -> None:
    assert number_of(Node("one", kind), given) == number


@pytest.mark.parametrize(
    ("value", "number"),
    [(7, 7), (tf.constant(9, tf.int64), 9), (True, 1), (0.5, None), ([3, 4], None)],
)
def test_constants_that_are_one_whole_number(value: object, number: int | None) -> None:
    graph = tf.Graph()
    with graph.as_default():
        tf.constant(value if not isinstance(value, tf.Tensor) else value.numpy())
    definition = graph.as_graph_def().node[0]
    assert read_constant(Node("one", "Const", attributes=definition.attr)) == number
