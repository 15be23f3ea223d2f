"""Shapes of operations that were copied out of functions."""

from collections.abc import Callable

import tensorflow as tf
from memory.graph.step_functions import branches, calls
from memory.graph.tiny_steps import loop, of_function

from fitguard.memory.graph.rewriting import rewrite_graph
from fitguard.memory.graph.shapes import Shape, shapes_by_name
from fitguard.memory.graph.tracing import trace
from fitguard.memory.training import Training

GIVEN = tf.TensorSpec((None, 1024), tf.float32)


def shapes_of(training: Training, kind: str) -> dict[str, Shape]:
    """The shape that every operation of a kind gives first."""
    traced = trace(training)
    shapes = shapes_by_name(traced.function.graph)
    nodes = [node for node in rewrite_graph(traced).node if node.op == kind]
    return {node.name: shapes.get(node.name)[0] for node in nodes}


def of_step(step: Callable[..., tf.Tensor], kind: str) -> dict[str, Shape]:
    return shapes_of(of_function(step, GIVEN), kind)


def test_branches_with_equal_names_have_their_own_shapes() -> None:
    found = of_step(branches(1, 2), "Transpose")
    assert {name.split("/")[1]: shape for name, shape in found.items()} == {
        "then": (1024, 1009),
        "else": (3072, 1009),
    }


def test_one_function_that_is_called_with_two_shapes() -> None:
    assert sorted(of_step(calls, "Exp").values()) == [(1009, 1024), (1009, 3072)]


def test_branches_of_a_case() -> None:
    def step(given: tf.Tensor) -> tf.Tensor:
        choices = [lambda times=times: tf.tile(given, (1, times)) for times in (2, 3, 4)]
        return tf.reduce_sum(tf.switch_case(tf.cast(given[0, 0], tf.int32), choices))

    found = of_step(step, "Tile")
    assert sorted(found.values()) == [(1009, 1024 * times) for times in (2, 3, 4)]


def test_a_branch_in_a_loop_in_a_function() -> None:
    @tf.function
    def inner(given: tf.Tensor) -> tf.Tensor:
        for number in tf.range(3):
            given = tf.exp(given) if number < 2 else tf.tanh(given[:, :1]) + given
        return given

    step = lambda given: tf.reduce_sum(inner(given))  # noqa: E731
    assert list(of_step(step, "Exp").values()) == [(1009, 1024)]
    assert list(of_step(step, "Tanh").values()) == [(1009, 1)]


def test_all_products_of_a_looped_lstm_have_a_shape() -> None:
    shapes = {*shapes_of(loop(4), "MatMul").values()}
    assert {(1009, 32), (8, 32), (32, 32)} <= shapes
    assert None not in shapes


def test_operations_that_were_added_have_no_shape() -> None:
    shapes = shapes_by_name(trace(of_function(branches(1, 2), GIVEN)).function.graph)
    assert shapes.get("cond/then/_0/cond/something") == ()
    assert shapes.get("added") == ()
