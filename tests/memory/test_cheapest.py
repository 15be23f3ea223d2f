"""Which way to train a batch that does not fit costs least."""

import keras
import numpy as np
import pytest
from memory.recomputing.deep_network import SIDE, deep

from fitguard.memory.cheapest import Batch
from fitguard.memory.estimating import find_runnable
from fitguard.memory.preparation import prepare
from fitguard.memory.recomputing.timing import find_speed, guess_seconds

ROWS = 256
SLOW, FAST = 20e9, 4.8e12
"""Bytes a second: of a processor, and of an H200, where small parts leave it idle."""


@pytest.fixture(scope="module", params=[False, True], ids=["graph", "xla"])
def planned(request):
    model = deep(keras)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, jit_compile=request.param)
    x = np.broadcast_to(np.float32(0), (ROWS, SIDE, SIDE, 3))
    y = np.broadcast_to(np.int32(0), (ROWS,))
    with prepare(model, ROWS, x, y, jit_compile=request.param) as prepared:
        yield find_runnable(prepared, "8.6")


def choose(planned, part, speed=FAST, *, split=True, recompute=True):
    """With room for so much of what the whole batch needs."""
    prepared, estimator = planned
    usable = int(part * estimator.at(ROWS).required.high)
    batch = Batch(prepared.training, ROWS, usable, speed)
    way = batch.find_cheapest(estimator, split=split, recompute=recompute)
    if way is not None and way.rows is not None and way.share is None:
        assert estimator.at(way.rows).required.high <= usable
    return way


def is_graph(planned):
    return planned[1].mode == "graph"


def test_a_processor_is_as_fast_with_parts(planned):
    way = choose(planned, 0.6, SLOW)
    assert way.share is None
    assert ROWS / 4 < way.rows < ROWS
    if is_graph(planned):
        assert 1 <= way.times < 1.15


def test_on_a_fast_card_the_batch_stays_whole(planned):
    """XLA keeps what it likes: there, only parts are sure to fit."""
    way = choose(planned, 0.6)
    if is_graph(planned):
        assert way.rows is None
        assert 0 < way.share < 0.7
        assert 1 < way.times < 1.5
    else:
        assert way.share is None
        assert way.rows < ROWS


def test_larger_parts_are_recomputed_where_the_whole_batch_does_not_fit(planned):
    way, parts = choose(planned, 0.1), choose(planned, 0.1, recompute=False)
    assert parts.share is None
    if is_graph(planned):
        assert way.share is not None
        assert parts.rows < way.rows < ROWS
        assert way.times < parts.times


def test_a_batch_that_must_stay_whole_is_not_split(planned):
    assert choose(planned, 0.05, split=False) is None
    way = choose(planned, 0.7, SLOW, split=False)
    assert way is None or way.rows is None


def test_where_nothing_is_allowed_there_is_no_way(planned):
    assert choose(planned, 0.6, split=False, recompute=False) is None


def test_small_operations_take_as_long_as_their_start(planned):
    if is_graph(planned):
        nodes = planned[1].step.nodes
        assert guess_seconds(nodes, 1e15) == pytest.approx(guess_seconds(nodes, 1e16))


def test_cards_are_known_by_name_and_others_are_usual_ones():
    assert find_speed("NVIDIA H200") == pytest.approx(4.8e12)
    assert (
        find_speed("NVIDIA H200") > find_speed("a card of tomorrow") > find_speed("", is_gpu=False)
    )
