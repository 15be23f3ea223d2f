"""Tracing with a number that stands for the batch, and updates apart."""

from typing import Any

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from memory.graph.tiny_steps import compiled, dense, of_function

from fitguard.memory.graph.tracing import MARK, PRIMES, Traced, trace


def marks(traced: Traced) -> int:
    graph = traced.function.graph
    return sum(MARK in one.name and "Assign" in one.type for one in graph.get_operations())


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
@pytest.mark.parametrize("optimizer", ["adam", "sgd", "adagrad"])
def test_every_trained_variable_has_one_mark(library: Any, optimizer: str) -> None:
    training = dense(library, optimizer)
    traced = trace(training)
    variables = training.model.trainable_variables
    assert marks(traced) == len(variables) == 6
    assert set(traced.updates) == {("float32", tuple(variable.shape)) for variable in variables}


def test_variables_of_one_shape_share_the_trace_of_their_update() -> None:
    layers = [keras.layers.Dense(16) for _ in range(4)]
    model = keras.Sequential([keras.Input((16,)), *layers])
    traced = trace(compiled(model))
    assert (marks(traced), len(traced.updates)) == (8, 2)


def test_nothing_is_run_and_the_optimizer_is_as_before() -> None:
    training = dense()
    model = training.model
    before = [np.array(value) for value in model.get_weights()]
    trace(training)
    assert int(model.optimizer.iterations) == 0
    assert "update_step" not in vars(model.optimizer)
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    model.fit(np.zeros((8, 64)), np.zeros((8,)), verbose=0)
    assert int(model.optimizer.iterations) == 1


def test_the_optimizer_is_as_before_where_the_step_raises() -> None:
    class Broken(keras.Sequential):
        def train_step(self, data: Any) -> Any:  # noqa: ARG002
            raise ValueError("my own mistake")

    model = Broken([keras.Input((4,)), keras.layers.Dense(10)])
    with pytest.raises(ValueError, match="my own mistake"):
        trace(compiled(model))
    assert "update_step" not in vars(model.optimizer)


def test_a_loss_scale_is_outside_of_the_updates() -> None:
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam())
    traced = trace(dense(optimizer=optimizer))
    inside = [one for function in traced.updates.values() for one in operations(function.function)]
    assert len(traced.updates) == 5
    assert not any(one.type == "IsFinite" for one in inside)


def operations(function: Any) -> list[Any]:
    return list(function.graph.get_operations())


def test_rows_of_an_embedding_are_no_mark() -> None:
    tokens = keras.Input((7,), dtype="int32")
    value = keras.layers.Flatten()(keras.layers.Embedding(50, 8)(tokens))
    traced = trace(compiled(keras.Model(tokens, keras.layers.Dense(10)(value))))
    assert marks(traced) == 2


@pytest.mark.parametrize(("units", "prime"), [(64, 1009), (1009, 1013), (2 * 1009, 1013)])
def test_the_prime_divides_no_axis_of_the_model(units: int, prime: int) -> None:
    assert prime in PRIMES
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(units)])
    assert trace(compiled(model)).prime == prime


def test_a_step_that_takes_one_batch_size_is_traced_with_it() -> None:
    traced = trace(dense().bind_batch_size(12))
    assert traced.prime == 12
    assert traced.function.inputs[0].shape == (12, 64)


def test_a_step_of_the_users_own() -> None:
    weight = tf.Variable(tf.ones((8, 3)))

    def step(given: tf.Tensor, wanted: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((given @ weight - wanted) ** 2)
        weight.assign_sub(0.1 * tape.gradient(loss, weight))
        return loss

    specs = [tf.TensorSpec((None, size), tf.float32) for size in (8, 3)]
    traced = trace(of_function(step, *specs))
    assert traced.updates == {}
    assert [tensor.shape for tensor in traced.function.inputs[:2]] == [(1009, 8), (1009, 3)]


def test_of_many_variables_the_small_ones_are_not_traced():
    import keras
    from keras import layers

    from fitguard.memory.graph.step import read_step
    from fitguard.memory.graph.tracing import MANY
    from fitguard.memory.preparation import prepare

    wide = layers.Dense(400, name="wide")  # 640 kB
    small = [layers.Dense(8) for _ in range(MANY // 2)]
    model = keras.Sequential([keras.Input((400,)), wide, *small, layers.Dense(1)])
    with prepare(model, 4, optimizer="adam", loss="mse", jit_compile=False) as prepared:
        traced = trace(prepared.training)
        step = read_step(prepared.training)
    assert list(traced.updates) == [("float32", (400, 400))]
    held = sum(size.factor for _, size, _ in step.handles.values()) + step.beside.factor
    optimizer = 3 * 4 * model.count_params()
    assert abs(held - optimizer) < 0.01 * optimizer
