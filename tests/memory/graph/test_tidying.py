"""Operations that give their input, and transpositions that undo each other."""

from collections.abc import Callable

import pytest
import tensorflow as tf
from memory.graph.graphs import BATCH, nodes_of, the

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.tidying import tidy_nodes

LEFT = (BATCH, 64)
Function = Callable[[tf.Tensor], tf.Tensor]


def left(function: Function) -> list[Node]:
    """Without constants and what only hands on."""
    hidden = ("Const", "Identity", "Placeholder")
    return [node for node in tidy_nodes(nodes_of(function, LEFT)) if node.op not in hidden]


@pytest.mark.parametrize(
    "function",
    [
        lambda given: given * 1.0,
        lambda given: 1.0 * given,
        lambda given: given / 1.0,
        lambda given: given + 0.0,
        lambda given: given - 0.0,
        lambda given: given**1.0,
        lambda given: tf.tile(given, (1, 1)),
        lambda given: tf.broadcast_to(given, LEFT),
        lambda given: tf.slice(given, (0, 0), LEFT),
        lambda given: tf.transpose(tf.transpose(given)),
        lambda given: given * 1.0 / 1.0 + 0.0,
    ],
)
def test_what_changes_nothing_is_left_out(function: Function) -> None:
    (last,) = left(lambda given: tf.exp(function(given)))
    assert last.inputs[0][0].op == "Placeholder"


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda given: given * 2.0, "Mul"),
        (lambda given: 1.0 / given, "RealDiv"),
        (lambda given: 0.0 - given, "Sub"),
        (lambda given: given * tf.ones((1, 64)), "Mul"),
        (lambda given: given[:1] * tf.constant(1.0, shape=(4, 1)), "Mul"),
        (lambda given: tf.tile(given, (1, 2)), "Tile"),
        (lambda given: tf.transpose(given), "Transpose"),
        (lambda given: tf.transpose(tf.reshape(given, (BATCH, 8, 8)), (2, 0, 1)), "Transpose"),
    ],
)
def test_what_changes_something_stays(function: Function, kind: str) -> None:
    assert kind in [node.op for node in left(function)]


def test_equal_transpositions_become_one() -> None:
    def function(given: tf.Tensor) -> tf.Tensor:
        return tf.exp(tf.transpose(given)) + tf.tanh(tf.transpose(given))

    kept = left(function)
    assert the(kept, "Exp").inputs == the(kept, "Tanh").inputs == [(the(kept, "Transpose"), 0)]


def test_a_transposition_that_does_not_undo_the_one_before_stays() -> None:
    def function(given: tf.Tensor) -> tf.Tensor:
        turned = tf.transpose(tf.reshape(given, (BATCH, 8, 8)), (1, 2, 0))
        return tf.transpose(turned, (1, 2, 0))

    assert [node.op for node in left(function)].count("Transpose") == 2


def test_who_waited_for_what_is_left_out_waits_for_its_input() -> None:
    def function(given: tf.Tensor) -> tf.Tensor:
        same = tf.tanh(given) * 1.0
        with tf.control_dependencies([same]):
            return tf.exp(given)

    kept = left(function)
    assert the(kept, "Exp").controls == [the(kept, "Tanh")]


def test_who_passes_by_waits_for_the_same() -> None:
    def function(given: tf.Tensor) -> tf.Tensor:
        with tf.control_dependencies([tf.tanh(given)]):
            same = given * 1.0
        return tf.exp(same)

    kept = left(function)
    assert the(kept, "Exp").controls == [the(kept, "Tanh")]
