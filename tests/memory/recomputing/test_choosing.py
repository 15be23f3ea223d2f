"""Ways to compute part of a step twice, on paper: what they save, what they leave alone."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from memory.recomputing.deep_network import ROWS, SIDE, deep, trace

from fitguard.memory.estimating import find_runnable
from fitguard.memory.graph.nodes import read_nodes
from fitguard.memory.graph.shapes import shapes_by_name
from fitguard.memory.preparation import prepare
from fitguard.memory.recomputing.by_device import choose
from fitguard.memory.recomputing.edit import editing_all
from fitguard.memory.recomputing.estimating import find_recomputed
from fitguard.memory.recomputing.expense import expense
from fitguard.memory.recomputing.graph import read_graph, run_on_paper
from fitguard.memory.recomputing.segments import Stash


def nodes_of(model, library=keras):
    return read_graph(trace(model, library))


@pytest.fixture(scope="module")
def nodes():
    return nodes_of(deep(keras))


def copied(way):
    return [original for edit in way.edits for original in edit.copies.values()]


@pytest.mark.parametrize("share", [0.9, 0.7, 0.5])
def test_it_fits_where_that_can_be_had(nodes, share):
    way = choose(nodes, share)
    assert way.share <= share
    assert 0 < way.extra < 0.5


def test_the_same_wish_gives_the_same_way_in_another_graph(nodes):
    """A run that was killed and goes on has the bits of one that was not."""
    again = nodes_of(deep(keras))
    for share in (0.8, 0.5):
        kinds = [[node.op for node in copied(choose(each, share))] for each in (nodes, again)]
        assert kinds[0] == kinds[1]


def test_less_memory_costs_more_time(nodes):
    extras = [choose(nodes, share).extra for share in (0.9, 0.7, 0.5)]
    assert extras == sorted(extras)


def test_the_whole_step_stays_as_it_is_where_it_fits(nodes):
    way = choose(nodes, 1.0)
    assert way.edits == ()
    assert (way.share, way.extra, way.count) == (1.0, 0.0, 0)


def test_where_nothing_fits_the_least_is_had(nodes):
    least = choose(nodes, 0.01)
    assert 0.01 < least.share < 0.5


def test_a_smaller_batch_is_measured_by_the_first_one(nodes):
    whole = choose(nodes, 1.0).whole_bytes
    assert choose(nodes, 0.5, 2 * whole).edits == ()
    assert choose(nodes, 0.5, whole).count


def test_nothing_is_drawn_written_or_read_from_variables_twice(nodes):
    for share in (0.7, 0.4, 0.01):
        kinds = {node.op for node in copied(choose(nodes, share))}
        assert not {kind for kind in kinds if "Variable" in kind or kind == "RandomUniform"}


def test_dropout_of_tf_keras_keeps_its_mask():
    """It draws with an operation that gives other numbers each time."""
    library_nodes = nodes_of(deep(tf_keras), tf_keras)
    drawing = {node.op for node in library_nodes if "Random" in node.op}
    way = choose(library_nodes, 0.4)
    stateful = {kind for kind in drawing if tf.raw_ops.__dict__[kind] and "Stateless" not in kind}
    assert not stateful & {node.op for node in copied(way)}


def test_every_copy_can_run_after_the_step_it_waits_for(nodes):
    """The graph has no circle: all of it runs on paper."""
    for share in (0.7, 0.4, 0.01):
        way = choose(nodes, share)
        with editing_all(nodes, way.edits) as everything:
            ran = run_on_paper(everything)
        assert len(ran.nodes) == len(everything) == len(set(ran.nodes))
        assert 0.5 * way.needed_bytes < ran.peak_bytes <= way.needed_bytes


def test_what_is_edited_on_paper_is_as_before_afterwards(nodes):
    before = run_on_paper(nodes)
    choose(nodes, 0.4)
    after = run_on_paper(nodes)
    assert (before.peak_bytes, before.nodes) == (after.peak_bytes, after.nodes)


def test_cuts_are_in_order_and_in_the_forward_pass(nodes):
    stash = Stash(run_on_paper(nodes))
    for number in (1, 3, 8):
        cuts = stash.choose_cuts(number)
        assert cuts == sorted(set(cuts))
        assert 0 < len(cuts) <= number
        assert cuts[-1] < stash.order.peak


def test_convolutions_and_products_take_nearly_all_of_the_time(nodes):
    by_kind = {}
    for node in nodes:
        by_kind[node.op] = by_kind.get(node.op, 0.0) + expense(node)
    assert by_kind["Conv2D"] > by_kind["Relu"] > by_kind.get("Identity", 0.0) == 0.0


def test_where_no_activation_waits_nothing_can_be_won():
    given = keras.Input((SIDE, SIDE, 3))
    flat = keras.layers.GlobalAveragePooling2D()(given)
    assert choose(nodes_of(keras.Model(given, keras.layers.Dense(10)(flat))), 0.5) is None


def test_gradients_that_nobody_reads_do_not_count():
    """TensorFlow leaves them out: swish has one for its factor, a constant."""
    given = value = keras.Input((SIDE, SIDE, 3))
    for _ in range(6):
        value = keras.layers.Conv2D(16, 3, padding="same", activation="swish")(value)
    flat = keras.layers.GlobalAveragePooling2D()(value)
    graph = trace(keras.Model(given, keras.layers.Dense(10)(flat)))
    every = read_nodes(graph.as_graph_def(add_shapes=True).node, shapes_by_name(graph), 1)
    assert run_on_paper(read_graph(graph)).peak_bytes < 0.8 * run_on_paper(every).peak_bytes


def test_the_plan_recomputes_the_graph_that_tensorflow_has_optimized():
    """There, one node may stand for a shape of both passes: it says nothing of who reads it."""
    model = deep(keras)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, jit_compile=False)
    x = np.zeros((ROWS, SIDE, SIDE, 3), "float32")
    with prepare(model, ROWS, x, np.zeros(ROWS, "int32"), jit_compile=False) as prepared:
        prepared, estimator = find_runnable(prepared, "9.0")
        found = find_recomputed(estimator, ROWS, None)
    assert 0 < found.way.share <= 0.5
    least, plain = (one.at(ROWS).required.likely for one in (found.estimator, estimator))
    assert least < 0.8 * plain


def test_random_numbers_do_not_reach_across_cuts():
    """TensorFlow draws all as soon as the step begins; they are drawn again in their place."""
    nodes = nodes_of(deep(keras, dropout=0.5))
    stash = Stash(run_on_paper(nodes))
    alive = stash.list_alive(stash.choose_cuts(4))
    assert alive
    assert not [node.name for node, _ in alive if "stateless_dropout/GreaterEqual" in node.name]


def test_a_product_of_rows_that_only_the_data_tell_takes_time_too():
    @tf.function(autograph=False)
    def compute(value, weights):
        return tf.boolean_mask(value, value[:, 0] > 0) @ weights

    traced = compute.get_concrete_function(tf.TensorSpec((64, 8)), tf.TensorSpec((8, 4)))
    (product,) = (node for node in read_graph(traced.graph) if node.op == "MatMul")
    assert product.shapes[0][0] == -1
    assert expense(product) > 0
