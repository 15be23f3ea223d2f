"""Operations with the sizes of what they give."""

import tensorflow as tf
from memory.graph.graphs import BATCH, nodes_of, the

from fitguard.memory.graph.nodes import in_order
from fitguard.memory.graph.sizes import NOTHING, Size


def test_operations_are_linked_and_measured() -> None:
    nodes = nodes_of(lambda given: tf.matmul(given, tf.ones((64, 32))), (BATCH, 64))
    product = the(nodes, "MatMul")
    assert [producer.op for producer, _ in product.inputs] == ["Placeholder", "Fill"]
    assert (product.sizes, product.shapes) == ([Size(4 * 32, 1)], ((BATCH, 32),))


def test_several_outputs_and_other_dtypes() -> None:
    def function(given: tf.Tensor) -> list[tf.Tensor]:
        parts = tf.split(given, 4, axis=1)
        return [tf.cast(parts[1], tf.float16), tf.math.top_k(given, 3)[1]]

    nodes = nodes_of(function, (BATCH, 64))
    assert the(nodes, "Split").sizes == [Size(4 * 16, 1)] * 4
    assert the(nodes, "Cast").sizes == [Size(2 * 16, 1)]
    assert the(nodes, "Cast").inputs == [(the(nodes, "Split"), 1)]
    assert the(nodes, "TopKV2").sizes == [Size(4 * 3, 1)] * 2


def test_handles_lists_and_text_take_no_memory_on_the_gpu() -> None:
    variable = tf.Variable(tf.ones((8, 8)))

    def function(given: tf.Tensor) -> list[tf.Tensor]:
        items = tf.raw_ops.TensorListFromTensor(tensor=given, element_shape=[64])
        return [tf.strings.as_string(given), items, variable.read_value()]

    nodes = nodes_of(function, (BATCH, 64))
    for kind in ("AsString", "TensorListFromTensor"):
        assert all(size.factor == 0 for size in the(nodes, kind).sizes)
    handle = the(nodes, "ReadVariableOp").inputs[0][0]
    assert handle.sizes == [NOTHING]


def test_what_depends_on_the_values_counts_as_the_largest_input() -> None:
    nodes = nodes_of(lambda given: tf.boolean_mask(given, given[:, 0] > 0), (BATCH, 64))
    chosen = the(nodes, "GatherV2")
    assert chosen.is_guessed
    assert chosen.sizes == [Size(4 * 64, 1)]
    assert not the(nodes, "Greater").is_guessed


def test_controls_are_no_inputs() -> None:
    def function(given: tf.Tensor) -> tf.Tensor:
        first = tf.exp(given)
        with tf.control_dependencies([first]):
            return tf.tanh(given)

    nodes = nodes_of(function, (BATCH, 64))
    assert the(nodes, "Tanh").controls == [the(nodes, "Exp")]
    assert [producer.op for producer, _ in the(nodes, "Tanh").inputs] == ["Placeholder"]


def test_producers_come_before_consumers() -> None:
    nodes = nodes_of(lambda given: tf.exp(tf.tanh(given) + given), (BATCH, 64))
    order = list(in_order(nodes[::-1]))
    assert sorted(order, key=id) == sorted(nodes, key=id)
    for place, node in enumerate(order):
        assert all(producer in order[:place] for producer, _ in node.inputs)
