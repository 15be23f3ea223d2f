"""cuDNN's RNN: what the backward pass reads, and the workspace."""

from functools import cache
from typing import Any

import keras
import pytest
import tf_keras
from memory.graph.tiny_steps import compiled

from fitguard.memory.graph.nodes import Node
from fitguard.memory.graph.recurrent import BACKWARD, FORWARD, RESERVE, WORKSPACE, workspace
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Step, read_step

LENGTH, INPUT, UNITS = 6, 8, 16


@cache
def step(kind: str, library: Any = keras) -> Step:
    layers = library.layers
    model = library.Sequential(
        [
            library.Input((LENGTH, INPUT)),
            getattr(layers, kind)(UNITS, return_sequences=True),
            layers.Dense(10, activation="softmax"),
        ]
    )
    return read_step(compiled(model))


def kernel(kind: str, pass_: str, library: Any = keras) -> Node:
    (node,) = (node for node in step(kind, library).nodes if node.op == pass_)
    return node


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_the_reserve_is_a_multiple_of_the_output(kind: str, library: Any) -> None:
    sizes = kernel(kind, FORWARD, library).sizes
    output = LENGTH * UNITS * 4
    assert sizes[0] == Size(output, 1)
    assert sizes[3] == Size(int(output * RESERVE[kind.lower().encode()]), 1)


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_both_passes_take_a_workspace(kind: str) -> None:
    of_output, of_input = WORKSPACE[kind.lower().encode()]
    expected = int(LENGTH * 4 * (of_output * UNITS + of_input * INPUT))
    for pass_ in (FORWARD, BACKWARD):
        batched, parameters = workspace(kernel(kind, pass_))
        assert batched == Size(expected, 1)
        assert parameters.power == 0
        assert parameters.factor >= 4 * UNITS * (INPUT + UNITS) * 3


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
def test_both_libraries_come_to_the_same(kind: str) -> None:
    ours, theirs = (step(kind, library).run().events for library in (keras, tf_keras))
    batched = [
        sum(buffer.size.factor for buffer, is_new, _ in events if is_new and buffer.size.power)
        for events in (ours, theirs)
    ]
    assert batched[0] == pytest.approx(batched[1], rel=0.1)
