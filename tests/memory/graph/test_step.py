"""A traced step: its variables, its inputs, the updates in it, its first run."""

from collections import Counter

import keras
import pytest
import tensorflow as tf
from memory.graph.tiny_steps import compiled, dense, of_function, run_of, step_of, training_of

from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Run, Step, read_step
from fitguard.memory.graph.tracing import MARK


def bytes_of(step: Step, category: str) -> int:
    return sum(size.factor for _, size, kind in step.handles.values() if kind == category)


def bytes_of_variables(variables: list[keras.Variable]) -> int:
    return sum(
        int(tf.size(variable.value)) * tf.as_dtype(variable.dtype).size for variable in variables
    )


@pytest.mark.parametrize("optimizer", ["adam", "sgd", "rmsprop", "adafactor", "lion"])
def test_all_variables_are_known(optimizer: str) -> None:
    training = dense(optimizer=optimizer)
    step, model = read_step(training), training.model
    weights = bytes_of_variables([*model.variables, *model.metrics_variables])
    assert bytes_of(step, "weights") == weights
    optimizers = bytes_of_variables(model.optimizer.variables)
    assert bytes_of(step, "optimizer") + step.beside.factor == pytest.approx(optimizers, abs=500)
    assert step.beside.factor < 500  # constants


def test_slots_bear_the_name_of_the_variable_that_they_belong_to() -> None:
    step, model = step_of("dense"), training_of("dense").model
    slots = Counter(name for name, _, kind in step.handles.values() if kind == "optimizer")
    for variable in model.trainable_variables:
        assert slots[variable.value.name] == 2


def test_every_trained_variable_is_updated_with_its_own_slots() -> None:
    step = step_of("dense")
    marks = [node for node in step.nodes if node.op == "NoOp" and MARK in node.name]
    changes = [node for node in step.nodes if node.op.startswith("Assign") and MARK in node.name]
    assert len(marks) == 6
    assert len(changes) == 3 * 6  # both moments of Adam, and the variable
    changed = Counter(node.inputs[0][0] for node in changes)
    assert set(changed.values()) == {1}


def test_variables_that_the_step_does_not_touch_are_counted() -> None:
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(10)])
    training = compiled(model)
    model.optimizer.add_variable((1000,), name="unused")
    assert read_step(training).beside.factor == pytest.approx(4000, abs=500)


def test_the_batch_is_the_input() -> None:
    assert [node.sizes[0] for node in step_of("dense").inputs] == [Size(4 * 64, 1), Size(4, 1)]


def test_in_the_first_step_slots_of_one_size_are_one_buffer_of_zeros() -> None:
    step = step_of("dense")
    first, later = step.run(first=True), run_of("dense")
    assert len({*later.variables}) == len(later.variables)
    slots = [buffer for buffer in first.variables if buffer.category == "optimizer"]
    large = [buffer for buffer in slots if buffer.size.factor > 32]
    assert len(large) == 2 * 6
    assert len({*large}) == len({buffer.size for buffer in large}) == 5
    assert len({*first.after}) == len(first.after)


def test_with_a_loss_scale_no_gradient_is_used_before_all_are_known() -> None:
    model = training_of("scaled").model
    scaled = gradients_at_first_update(run_of("scaled"))
    assert scaled == len(model.trainable_variables) == 8


def gradients_at_first_update(run: Run) -> int:
    """How many gradients are alive when the first of them has been used."""
    alive = set()
    for buffer, is_new, node in run.events:
        if MARK in node.name and buffer.is_gradient and not is_new:
            break
        (alive.add if is_new else alive.discard)(buffer)
    return sum(buffer.is_gradient for buffer in alive)


def test_the_slots_of_an_embedding_are_known_though_its_update_is_no_mark() -> None:
    step = step_of("embedded")
    table = Size(1000 * 8 * 4)
    kinds = Counter(kind for _, size, kind in step.handles.values() if size == table)
    assert kinds == {"weights": 1, "optimizer": 2}


def test_variables_of_a_step_without_a_model() -> None:
    weight, mean = tf.Variable(tf.ones((8, 3))), tf.Variable(tf.ones((8, 3)), trainable=False)

    def function(given: tf.Tensor) -> tf.Tensor:
        mean.assign(0.9 * mean + 0.1 * weight)
        return tf.reduce_sum(given @ weight)

    step = read_step(of_function(function, tf.TensorSpec((None, 8), tf.float32)))
    assert bytes_of(step, "weights") == bytes_of(step, "optimizer") == 8 * 3 * 4
    assert step.beside.factor < 64  # constants
