"""The memory of a step under XLA, from real models."""

from typing import Any

import keras
import pytest
import tensorflow as tf
import tf_keras
from memory.small_models import convolutional, sequential, training

from fitguard.memory.estimate import Estimate
from fitguard.memory.training import Training
from fitguard.memory.xla import NotCompilable, xla_estimator


def small(library: Any = keras) -> Training:
    return training(sequential(library), library)


def parts(estimate: Estimate) -> int:
    known = estimate.breakdown
    whole = known.weights + known.optimizer + known.gradients + known.activations
    return whole + known.workspace + known.input + known.slack


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_the_parts_add_up_and_the_range_holds_the_likely_value(library: Any) -> None:
    estimator = xla_estimator(small(library))
    assert estimator.mode == "xla"
    estimate = estimator.at(32)
    assert parts(estimate) == estimate.required.likely
    assert estimate.required.low <= estimate.required.likely <= estimate.required.high
    assert estimate.comfortable.likely >= estimate.required.likely
    assert estimate.comfortable.high >= estimate.required.high
    assert estimate.reasons


def test_weights_and_slots_are_counted_exactly() -> None:
    given = small()
    breakdown = xla_estimator(given).at(8).breakdown
    weights = 4 * given.model.count_params()
    assert 0 <= breakdown.weights - weights < 256
    assert 0 <= breakdown.optimizer - 2 * weights < 64
    assert breakdown.input == 8 * (16 * 16 * 3 + 1) * 4


def test_activations_grow_with_the_batch_and_variables_do_not() -> None:
    estimator = xla_estimator(small())
    one, ten = estimator.at(1000).breakdown, estimator.at(10_000).breakdown
    assert one.weights == ten.weights
    assert ten.activations == pytest.approx(10 * one.activations, rel=0.01)


def test_layers_and_curve_come_with_the_detail() -> None:
    estimator = xla_estimator(training(convolutional(keras)))
    estimate = estimator.at(256, detail=True)
    names = {cost.name for cost in estimate.layers}
    assert {"conv_0", "conv_1", "conv_2"} <= names
    assert estimate.layers[0].bytes >= estimate.layers[-1].bytes
    assert all(
        cost.bytes >= cost.activations_bytes + cost.weights_bytes for cost in estimate.layers
    )
    curve = estimate.curve
    assert curve.moments[curve.peak].bytes == max(moment.bytes for moment in curve.moments)
    assert {moment.phase for moment in curve.moments} >= {"forward", "backward"}
    assert all(len(moment.held) == len(curve.layers) for moment in curve.moments)
    assert not estimator.at(256).layers


def test_nothing_runs_and_the_optimizer_is_left_as_it_was() -> None:
    given = small()
    before = [variable.numpy() for variable in given.model.variables]
    xla_estimator(given).at(4)
    after = [variable.numpy() for variable in given.model.variables]
    assert all((old == new).all() for old, new in zip(before, after, strict=True))
    assert "update_step" not in vars(given.model.optimizer)


def test_a_recurrent_layer_keeps_what_each_step_leaves() -> None:
    def estimate(length: int) -> Estimate:
        layers = [
            keras.Input((length, 8)),
            keras.layers.SimpleRNN(32),
            keras.layers.Dense(10, activation="softmax"),
        ]
        return xla_estimator(training(keras.Sequential(layers))).at(256)

    short, long = estimate(16), estimate(64)
    assert long.required.likely > short.required.likely + 48 * 256 * 32 * 4
    assert any("loops" in reason for reason in long.reasons)


def test_a_step_of_the_users_own() -> None:
    weights = tf.Variable(tf.zeros((64, 512)))

    def step(x: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.matmul(x, weights) ** 2)
        weights.assign_sub(tape.gradient(loss, weights))

    given = Training(model=None, data=(tf.TensorSpec((None, 64)),), jit_compile=True, step=step)
    estimate = xla_estimator(given).at(100_000)
    assert estimate.breakdown.weights == 64 * 512 * 4
    assert estimate.breakdown.input == 100_000 * 64 * 4
    assert estimate.required.likely > 100_000 * 512 * 4


def test_an_array_of_batch_by_batch_grows_with_its_square() -> None:
    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.matmul(tf.matmul(x, x, transpose_b=True), x)

    given = Training(model=None, data=(tf.TensorSpec((None, 64)),), jit_compile=True, step=step)
    estimator = xla_estimator(given)
    assert estimator.at(32_768).required.likely > 3.5 * estimator.at(16_384).required.likely


class ByParity(keras.Model):
    """Another form for each batch size, told from the number."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(10, activation="softmax")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        for _ in range(int(x.shape[0]) % 3):
            x = tf.matmul(x, tf.eye(16))
        return self.dense(x)


def test_a_step_whose_form_changes_with_the_batch_says_so() -> None:
    model = ByParity()
    model(tf.zeros((3, 16)))
    model.compile("adam", "sparse_categorical_crossentropy")
    model.optimizer.build(model.trainable_variables)
    data = (tf.TensorSpec((None, 16)), tf.TensorSpec((None,), tf.int32))
    estimate = xla_estimator(Training(model=model, data=data, jit_compile=True)).at(128)
    assert any("another form" in reason for reason in estimate.reasons)
    assert parts(estimate) == estimate.required.likely


def test_an_operation_without_an_xla_kernel_is_named() -> None:
    layers = [
        keras.Input((8,)),
        keras.layers.Lambda(
            lambda x: x + tf.cast(tf.strings.length(tf.strings.as_string(x)), tf.float32),
            output_shape=(8,),
        ),
        keras.layers.Dense(10, activation="softmax"),
    ]
    with pytest.raises(NotCompilable, match=r"no kernel for AsString.*jit_compile=False") as caught:
        xla_estimator(training(keras.Sequential(layers)))
    assert caught.value.operation == "AsString"


def test_cudnns_recurrent_layer_cannot_be_compiled() -> None:
    layers = [keras.Input((8, 4)), keras.layers.LSTM(4), keras.layers.Dense(10)]
    with pytest.raises(NotCompilable, match="CudnnRNN"):
        xla_estimator(training(keras.Sequential(layers)))


def test_an_open_axis_beside_the_batch_is_refused() -> None:
    given = small()
    data = (tf.TensorSpec((None, None, 16, 3)), tf.TensorSpec((None,), tf.int32))
    with pytest.raises(NotCompilable, match=r"Received.*None.*Expected"):
        xla_estimator(Training(model=given.model, data=data, jit_compile=True))
