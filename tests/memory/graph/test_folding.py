"""Constants in products, as TensorFlow's optimizer moves them before it chooses layouts."""

from collections.abc import Callable
from typing import Any

import pytest
import tensorflow as tf

from fitguard.memory.graph.folding import fold

SHAPE = (6, 4)
Function = Callable[[tf.Tensor, tf.Tensor], tf.Tensor]


def folded(function: Function, kept: tuple[str, ...] = ()) -> dict[str, Any]:
    """The nodes of the graph by name, after folding."""
    specs = [tf.TensorSpec(SHAPE, tf.float32)] * 2
    traced = tf.function(function, autograph=False).get_concrete_function(*specs)
    graph = traced.graph.as_graph_def(add_shapes=True)
    fold(graph, set(kept))
    return {node.name: node for node in graph.node}


@pytest.mark.parametrize(
    "function",
    [
        lambda one, _: one * 1.0,
        lambda one, _: 1.0 * one,
        lambda one, _: one + 0.0,
        lambda one, _: one / 1.0 - 0.0,
        lambda one, _: one**1.0,
    ],
)
def test_what_changes_nothing_is_passed_by(function: Function) -> None:
    nodes = folded(lambda one, other: tf.exp(function(one, other), name="last"))
    assert list(nodes["last"].input) == ["one"]


@pytest.mark.parametrize(
    "function",
    [
        lambda one, _: one * 2.0,
        lambda one, _: 1.0 / one,
        lambda one, _: 0.0 - one,
        lambda one, _: one[:1, :1] * tf.ones(SHAPE),
    ],
)
def test_what_changes_something_is_not(function: Function) -> None:
    nodes = folded(lambda one, other: tf.exp(function(one, other), name="last"))
    assert list(nodes["last"].input) != ["one"]


def test_who_passes_by_waits_for_the_same() -> None:
    def function(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.tanh(other, name="before")]):
            same = one * 1.0
        return tf.exp(same, name="last")

    assert list(folded(function)["last"].input) == ["one", "^before"]


def test_a_constant_factor_moves_into_the_product() -> None:
    def function(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        return tf.multiply(tf.multiply(one, other, name="inner"), 3.0, name="last")

    nodes = folded(function)
    assert list(nodes["last"].input) == ["one", "inner"]
    assert list(nodes["inner"].input) == ["last/y", "other"]
    kept = folded(function, kept=("inner",))
    assert list(kept["last"].input) == ["inner", "last/y"]


def test_a_product_that_others_read_stays() -> None:
    def function(one: tf.Tensor, other: tf.Tensor) -> tf.Tensor:
        inner = tf.multiply(one, other, name="inner")
        return tf.multiply(inner, 3.0, name="last") + tf.exp(inner)

    assert list(folded(function)["inner"].input) == ["one", "other"]
