"""A step that several devices share: each recomputes what is its own, and copies stay there."""

import itertools

import numpy as np
import pytest
import tensorflow as tf

from fitguard.memory.recomputing.by_device import choose
from fitguard.memory.recomputing.edit import edit_definition
from fitguard.memory.recomputing.graph import read_graph, run_on_paper
from fitguard.memory.recomputing.rooms import ARRIVAL, split_by_device

NUMBERS = 100_000


def chain(value, weight, depth=8):
    """Large values that wait for the backward pass."""
    with tf.GradientTape() as tape:
        tape.watch(weight)
        waiting = value * weight
        for _ in range(depth):
            waiting = tf.tanh(tf.exp(waiting))
        loss = tf.reduce_mean(waiting)
    return tape.gradient(loss, weight)


def trace(sizes, devices="GPU"):
    """Each device has a chain of so many numbers; the first sums up what comes of all."""

    @tf.function(autograph=False)
    def step(*shares):
        found = []
        for number, share in enumerate(shares):
            with tf.device(f"/device:{devices}:{number}"):
                found.append(chain(share, tf.ones(()) * (1.0 + tf.reduce_min(share))))
        with tf.device(f"/device:{devices}:0"):
            return tf.add_n(found)

    return step.get_concrete_function(*(tf.TensorSpec((size,)) for size in sizes)).graph


def device_of(definition):
    return definition.device.rpartition(":")[2]


@pytest.mark.parametrize("devices", ["GPU", "CPU"])
def test_the_memory_of_a_device_is_what_it_has_of_the_step(devices):
    (alone,) = split_by_device(read_graph(trace([NUMBERS], devices)))
    rooms = split_by_device(read_graph(trace([NUMBERS] * 3, devices)))
    assert len(rooms) == 3
    peaks = [run_on_paper(room).peak_bytes for room in rooms]
    assert peaks == [run_on_paper(alone).peak_bytes] * 3


def test_what_other_devices_send_arrives_when_it_is_needed():
    first, second = split_by_device(read_graph(trace([NUMBERS] * 2)))
    (arrival,) = (node for node in first if node.op == ARRIVAL)
    ran = run_on_paper(first).nodes
    assert ran.index(arrival) > len(ran) - 5
    assert not [node for node in second if node.op == ARRIVAL]


def test_it_is_chosen_for_the_fullest_device_and_for_each_by_itself():
    whole = choose(read_graph(trace([NUMBERS])), 0.5)
    way = choose(read_graph(trace([NUMBERS, NUMBERS, NUMBERS // 4])), 0.5)
    assert way.whole_bytes == pytest.approx(whole.whole_bytes, rel=0.05)
    assert way.needed_bytes == pytest.approx(whole.needed_bytes, rel=0.05)
    assert way.share <= 0.5
    # The last one fits as it is.
    assert way.count == 2 * whole.count


def test_no_copy_is_on_another_device_or_reads_from_there():
    graph = trace([NUMBERS, NUMBERS // 2 + 1, NUMBERS])
    definition = graph.as_graph_def()
    way = choose(read_graph(graph), 0.3)
    for edit in way.edits:
        edit_definition(definition, edit, None)
    nodes = {node.name: node for node in definition.node}
    copies = [node for node in definition.node if node.name.startswith("fitguard_again")]
    assert {device_of(node) for node in copies} == {"0", "1", "2"}
    known = {node.name for node in graph.as_graph_def().node}
    rewired = [node for node in definition.node if node.name in known]
    for node in itertools.chain(copies, rewired):
        for given in node.input:
            other = nodes[given.lstrip("^").partition(":")[0]]
            if other.name.startswith("fitguard_again") or node in copies:
                assert device_of(other) in ("", device_of(node)), (node.name, given)


def test_the_changed_graph_gives_the_same():
    """On the one CPU that is here."""
    graph = trace([NUMBERS] * 2, "CPU")
    definition = graph.as_graph_def()
    for edit in choose(read_graph(graph), 0.4).edits:
        edit_definition(definition, edit, None)
    names = [tensor.name for tensor in graph.inputs], [tensor.name for tensor in graph.outputs]

    def run(nodes):
        for node in nodes.node:
            node.device = ""
        with tf.Graph().as_default() as made, tf.compat.v1.Session(graph=made) as session:
            tf.graph_util.import_graph_def(nodes, name="")
            shares = [np.linspace(first, 1, NUMBERS, dtype="float32") for first in (0.1, 0.2)]
            (result,) = session.run(names[1], dict(zip(names[0], shares, strict=True)))
        return float(result)

    assert run(definition) == run(graph.as_graph_def())
