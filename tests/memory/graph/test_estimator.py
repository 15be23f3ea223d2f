"""The memory of a step at any batch size."""

import keras
import pytest
import tensorflow as tf
from memory.graph import step_functions as functions
from memory.graph.tiny_steps import estimator_of, of_function, run_of, training_of

from fitguard.memory.graph.estimator import BESIDE_BYTES, graph_estimator
from fitguard.memory.graph.fitting import peak_bytes
from fitguard.memory.graph.step import read_step
from fitguard.memory.training import Training

MIB = 2**20
NAMES = ("dense", "dense of tf_keras", "convolutions", "loop of 5", "embedded")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("batch_size", [1, 300, 20_000])
def test_the_ranges_are_in_order(name: str, batch_size: int) -> None:
    estimate = estimator_of(name).at(batch_size)
    required, comfortable = estimate.required, estimate.comfortable
    assert 0 < required.low < required.likely < required.high
    assert comfortable.low <= comfortable.likely <= comfortable.high
    assert comfortable.high >= required.high
    assert comfortable.likely >= required.likely
    assert estimate.reasons


@pytest.mark.parametrize("name", NAMES)
def test_twice_as_many_samples_more_take_twice_as_much_more(name: str) -> None:
    estimates = [estimator_of(name).at(size) for size in (100_000, 200_000, 400_000)]
    peaks = [estimate.comfortable.low for estimate in estimates]
    assert peaks[2] - peaks[1] == pytest.approx(2 * (peaks[1] - peaks[0]), rel=0.001)
    for estimate in estimates:  # with what is lost between blocks
        assert estimate.comfortable.low <= estimate.required.likely < 1.2 * estimate.comfortable.low


def test_every_sample_with_every_other_grows_with_the_square() -> None:
    given = of_function(functions.similarity, tf.TensorSpec((None, 16), tf.float32))
    found = graph_estimator(given)
    few, many = (found.at(size).comfortable.low - BESIDE_BYTES for size in (10_000, 40_000))
    assert many == pytest.approx(16 * few, rel=0.01)


@pytest.mark.parametrize("name", ["dense", "convolutions", "embedded", "scaled"])
def test_a_fresh_trace_of_that_batch_comes_to_the_same(name: str) -> None:
    fresh = read_step(training_of(name).bind_batch_size(100)).run()
    assert peak_bytes(fresh, 100) == pytest.approx(peak_bytes(run_of(name), 100), rel=0.01)


def test_a_stateful_rnn_is_planned_for_its_one_batch_size() -> None:
    model = keras.Sequential(
        [
            keras.Input((5, 8), batch_size=24),
            keras.layers.LSTM(16, stateful=True),
            keras.layers.Dense(10, activation="softmax"),
        ]
    )
    model.compile("adam", "sparse_categorical_crossentropy", jit_compile=False)
    model.optimizer.build(model.trainable_variables)
    data = (tf.TensorSpec((None, 5, 8), tf.float32), tf.TensorSpec((None,), tf.int32))
    given = Training(model=model, data=data, jit_compile=False).bind_batch_size(24)
    breakdown = graph_estimator(given).at(24, detail=True).breakdown
    assert breakdown.input == 24 * (5 * 8 + 1) * 4


def test_without_detail_there_are_no_layers() -> None:
    estimate = estimator_of("dense").at(300)
    assert estimate.layers == ()
    assert estimator_of("dense").at(300) is estimate


def test_convolutions_widen_the_range_and_say_why() -> None:
    with_them, without = (estimator_of(name).at(20_000) for name in ("convolutions", "dense"))
    assert any("cuDNN" in reason for reason in with_them.reasons)
    assert not any("cuDNN" in reason for reason in without.reasons)
    widths = [one.required.high / one.required.likely for one in (with_them, without)]
    assert widths[0] > widths[1]


def test_what_the_values_of_the_data_decide_is_told() -> None:
    def step(given: tf.Tensor) -> tf.Tensor:
        chosen = tf.boolean_mask(given, given[:, 0] > 0)
        more = lambda value: tf.reduce_sum(value) < 3.0  # noqa: E731
        return tf.while_loop(more, lambda value: (value + 1.0,), (tf.reduce_sum(chosen),))[0]

    found = graph_estimator(of_function(step, tf.TensorSpec((None, 16), tf.float32))).at(100)
    parts = [unknown.part for unknown in found.unknown]
    assert "a loop" in parts
    assert any("GatherV2" in part for part in parts)
    assert estimator_of("loop of 5").at(100).unknown == ()
