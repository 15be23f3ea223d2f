"""What costs no time: small values in place of copies, an order, updates that do not wait."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from memory.recomputing.deep_network import ROWS, SIDE, deep, trace

from fitguard.contract.rewritten import make_callable
from fitguard.memory.recomputing.broadcasts import shrink_broadcasts
from fitguard.memory.recomputing.edit import edit_definition, editing
from fitguard.memory.recomputing.gathered import read_past_gatherings
from fitguard.memory.recomputing.graph import read_graph, run_on_paper, size_of_output
from fitguard.memory.recomputing.ordering import order_backward_pass

LARGE = ROWS * SIDE * SIDE * 8 * 4
"""Bytes of what a block gives."""


def branches(library):
    """Two ways that go side by side from a large value to its sum, as at the start of a ResNet."""
    layers = library.layers
    given = value = library.Input((SIDE, SIDE, 3))
    value = layers.Conv2D(8, 3, padding="same")(value)
    sides = []
    for _ in range(2):
        side = layers.BatchNormalization()(layers.Conv2D(8, 3, padding="same")(value))
        sides.append(layers.BatchNormalization()(layers.Conv2D(8, 3, padding="same")(side)))
    value = layers.ReLU()(layers.Add()(sides))
    return library.Model(given, layers.Dense(10)(layers.GlobalAveragePooling2D()(value)))


@pytest.fixture(scope="module")
def nodes():
    return read_graph(trace(branches(keras)))


def large_of(nodes, op):
    return [node for node in nodes if node.op == op and size_of_output((node, 0)) >= LARGE]


def test_no_copy_of_a_small_value_is_left_that_is_only_computed_with(nodes):
    assert len(large_of(nodes, "Tile")) >= 8
    with editing(nodes, shrink_broadcasts(nodes)) as edited:
        # What is left is read by what cannot spread it: the gradient of the pooling.
        assert len(large_of(edited, "Tile")) <= 1
        assert len(large_of(edited, "RealDiv")) <= 1


def test_the_order_takes_less_than_that_of_tensorflow(nodes):
    whole = run_on_paper(nodes)
    edit = order_backward_pass(nodes, whole.peak_bytes)
    assert edit.waits
    with editing(nodes, edit) as edited:
        ordered = run_on_paper(edited)
        assert len(ordered.nodes) == len(whole.nodes)
    assert ordered.peak_bytes < whole.peak_bytes


def test_nothing_of_the_forward_pass_waits(nodes):
    edit = order_backward_pass(nodes, run_on_paper(nodes).peak_bytes)
    for node, others in edit.waits.items():
        assert "gradient_tape" in node.name or node.op == "AddN"
        assert node not in others


def test_nobody_reads_what_was_gathered(nodes):
    gatherings = [node for node in nodes if node.op == "IdentityN"]
    assert gatherings
    with editing(nodes, read_past_gatherings(nodes)) as edited:
        assert not set(gatherings) & set(edited)
        assert not {producer.op for node in edited for producer, _ in node.inputs} & {"IdentityN"}
    assert any(node.op == "IdentityN" for node in nodes)


def arrange(graph):
    """The definition with all three, one after the other."""
    nodes, definition = read_graph(graph), graph.as_graph_def()
    whole = run_on_paper(nodes).peak_bytes
    gathered = read_past_gatherings(nodes)
    with editing(nodes, gathered) as read:
        smaller = shrink_broadcasts(read)
        with editing(read, smaller) as shrunk:
            ordered = order_backward_pass(shrunk, whole)
    for edit in (gathered, smaller, ordered):
        edit_definition(definition, edit, None)
    return definition


@pytest.mark.parametrize("make", [branches, deep])
def test_tensorflow_takes_it_and_the_weights_are_those_of_the_plain_step(make):
    random = np.random.default_rng(0)
    batch = (
        tf.constant(random.normal(size=(ROWS, SIDE, SIDE, 3)).astype("float32")),
        tf.constant(random.integers(0, 10, ROWS).astype("int32")),
    )
    weights = []
    for is_arranged in (False, True):
        keras.utils.set_random_seed(1)
        model = make(keras)
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(True), jit_compile=False)
        model.optimizer.build(model.trainable_variables)
        step = tf.function(lambda *given, model=model: model.train_step(given), autograph=False)
        traced = step.get_concrete_function(*batch)
        if is_arranged:
            call = make_callable(traced, arrange(traced.graph), jit_compile=False)
            call(batch)
        else:
            step(*batch)
        weights.append(model.get_weights())
    for plain, arranged in zip(*weights, strict=True):
        np.testing.assert_allclose(arranged, plain, rtol=1e-4, atol=1e-6)


def joined(add):
    """A small value, copied and divided, as `add` takes it with two large tensors."""

    @tf.function(autograph=False)
    def compute(first, second, small):
        spread = tf.tile(small, (ROWS, SIDE, SIDE, 1)) / 1152.0
        return add(tf.sin(first), spread, tf.cos(second))

    return compute


@pytest.mark.parametrize(
    "add",
    [
        lambda first, small, second: tf.raw_ops.AddN(inputs=[first, small, second]),
        lambda first, small, second: tf.raw_ops.AddN(inputs=[small, first, second]),
        lambda first, small, second: tf.raw_ops.AddN(inputs=[first, second, small]),
        lambda first, small, second: tf.raw_ops.AddN(inputs=[first, small, second, small]),
        lambda first, small, second: first * small - second,
        lambda first, small, second: first / (2.0 * small) * second,
    ],
)
def test_it_gives_the_same(add):
    random = np.random.default_rng(3)
    large = (ROWS, SIDE, SIDE, 8)
    given = [
        tf.constant(random.normal(size=shape).astype("float32"))
        for shape in (large, large, (1, 1, 1, 8))
    ]
    traced = joined(add).get_concrete_function(*given)
    nodes, definition = read_graph(traced.graph), traced.graph.as_graph_def()
    edit = shrink_broadcasts(nodes)
    assert edit.rewired
    assert {node.op for node in edit.left_out} >= {"Tile", "RealDiv"}
    edit_definition(definition, edit, None)
    (found,) = make_callable(traced, definition, jit_compile=False)(given)
    # But for rounding: the graph optimizer moves the constant elsewhere.
    np.testing.assert_allclose(found, traced(*given), rtol=1e-5, atol=1e-6)


def test_a_sum_of_one_large_and_one_small_value_stays_as_it_is():
    """TensorFlow puts sums together in an order of its own."""
    shapes = [(ROWS, SIDE, SIDE, 8), (1, 1, 1, 8)]

    @tf.function(autograph=False)
    def compute(large, small):
        return large + tf.tile(small, (ROWS, SIDE, SIDE, 1))

    traced = compute.get_concrete_function(*(tf.TensorSpec(shape) for shape in shapes))
    assert not shrink_broadcasts(read_graph(traced.graph)).copies


def test_a_step_with_branches_of_which_one_is_taken_keeps_its_order():
    """Who waits for an operation that is not taken would not run either."""

    def compute(flag, value):
        left, right = tf.raw_ops.Switch(data=value, pred=flag)
        with tf.name_scope("gradient_tape"):
            taken, _ = tf.raw_ops.Merge(inputs=[tf.sin(left), tf.cos(right)])
            return tf.exp(taken), tf.square(value)

    specs = tf.TensorSpec((), tf.bool), tf.TensorSpec((ROWS, SIDE, SIDE, 8))
    graph = tf.compat.v1.wrap_function(compute, specs).graph
    nodes = read_graph(graph)
    assert any(node.op == "Switch" for node in nodes)
    assert not order_backward_pass(nodes, LARGE).waits


def test_the_order_in_which_a_graph_lists_its_nodes_does_not_matter(nodes):
    edit = shrink_broadcasts(nodes[::-1])
    assert {node.name for node in edit.left_out} == {
        node.name for node in shrink_broadcasts(nodes).left_out
    }
