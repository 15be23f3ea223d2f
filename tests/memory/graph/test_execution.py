"""What is allocated and freed, in which order; `test_reality.py` compares peaks with real ones."""

from collections import Counter

import pytest
import tensorflow as tf
from memory.graph import step_functions as functions
from memory.graph.step_functions import looped, repeated
from memory.graph.tiny_steps import (
    allocated,
    function_run,
    loop,
    most_alive,
    of_function,
    run_of,
)

from fitguard.memory.graph.fitting import peak_bytes
from fitguard.memory.graph.operations import UNKNOWN_ROUNDS
from fitguard.memory.graph.sizes import Size
from fitguard.memory.graph.step import Run, read_step

GIVEN = tf.TensorSpec((None, functions.WIDTH), tf.float32)
BATCHED = Size(4 * functions.WIDTH, 1)
MATRIX = tf.TensorSpec((512, 1024), tf.float32)
MATRIX_SIZE = Size(4 * 512 * 1024)


def operations(run: Run, size: Size) -> list[str]:
    return [node.op for node in allocated(run, size)]


def test_a_chain_writes_over_its_first_result() -> None:
    assert operations(function_run(functions.chain, GIVEN), BATCHED) == ["Mul"]


def test_what_is_still_read_is_not_written_over() -> None:
    assert operations(function_run(functions.chain_with_reader, GIVEN), BATCHED) == ["Mul", "Tanh"]


def test_silu_keeps_its_input_only_and_computes_the_sigmoid_again() -> None:
    def grown(function: functions.Step) -> int:
        few, many = (function_run(repeated(function, times), GIVEN) for times in (4, 8))
        return most_alive(many, BATCHED) - most_alive(few, BATCHED)

    assert grown(tf.nn.silu) == 4
    assert grown(functions.silu_by_hand) == 8


@pytest.mark.parametrize("rounds", [0, 1, 7, 40])
def test_a_loop_runs_as_often_as_its_numbers_say(rounds: int) -> None:
    run = function_run(looped(rounds), GIVEN)
    assert operations(run, BATCHED).count("Tanh") == rounds
    assert run.complete


def test_the_results_of_all_rounds_are_alive_until_the_backward_pass() -> None:
    peaks = [most_alive(function_run(looped(rounds), GIVEN), BATCHED) for rounds in (5, 10, 15)]
    assert peaks[2] - peaks[1] == peaks[1] - peaks[0] == 5


def test_a_loop_whose_end_depends_on_the_data_runs_a_few_rounds() -> None:
    def step(given: tf.Tensor) -> tf.Tensor:
        more = lambda value: tf.reduce_sum(value) < 3.0  # noqa: E731
        return tf.while_loop(more, lambda value: (tf.matmul(value, value),), (given,))[0]

    run = function_run(step, tf.TensorSpec((64, 64), tf.float32))
    assert not run.complete
    assert operations(run, Size(4 * 64 * 64)) == ["MatMul"] * UNKNOWN_ROUNDS


def test_a_loop_in_a_loop() -> None:
    def step(given: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(3):
            for _ in tf.range(4):
                given = tf.matmul(given, given)
        return given

    run = function_run(step, tf.TensorSpec((64, 64), tf.float32))
    assert operations(run, Size(4 * 64 * 64)) == ["MatMul"] * 12
    assert run.complete


@pytest.mark.parametrize(("left", "right", "width"), [(1, 2, 1024), (2, 1, 3072)])
def test_only_the_branch_that_is_taken_allocates(left: int, right: int, width: int) -> None:
    run = function_run(functions.branches(left, right), GIVEN)
    widths = {buffer.size.factor // 4 for buffer, _, _ in run.events if buffer.size.power}
    assert widths == {width}


def test_every_sample_with_every_other_is_a_square() -> None:
    run = function_run(functions.similarity, GIVEN)
    assert operations(run, Size(4, 2)) == ["MatMul"]
    assert peak_bytes(run, 2000) == pytest.approx(4 * 2000**2 + 4 * 1024 * 2000, rel=0.001)


def test_a_variable_is_copied_where_its_old_value_is_still_read() -> None:
    variable = tf.Variable(tf.zeros(MATRIX.shape))

    def step(given: tf.Tensor) -> tf.Tensor:
        old = variable.read_value()
        with tf.control_dependencies([old]):
            changed = variable.assign_sub(given)
        with tf.control_dependencies([changed]):
            return tf.reduce_sum(old)

    run = function_run(step, MATRIX)
    assert operations(run, MATRIX_SIZE) == ["AssignSubVariableOp"]
    assert run.after != run.variables


def test_a_variable_is_changed_in_place_where_nobody_reads_it() -> None:
    variable = tf.Variable(tf.zeros(MATRIX.shape))

    def step(given: tf.Tensor) -> tf.Tensor:
        total = tf.reduce_sum(variable.read_value())
        with tf.control_dependencies([total]):
            variable.assign_sub(given)
        return total

    run = function_run(step, MATRIX)
    assert operations(run, MATRIX_SIZE) == []
    assert run.after == run.variables


def test_a_variable_takes_the_buffer_of_what_it_is_set_to() -> None:
    variable = tf.Variable(tf.zeros(MATRIX.shape))

    def step(given: tf.Tensor) -> None:
        variable.assign(given * 2.0)

    run = function_run(step, MATRIX)
    large = [(is_new, node.op) for buffer, is_new, node in run.events if buffer.size == MATRIX_SIZE]
    assert large == [(True, "Mul"), (False, "AssignVariableOp")]
    assert run.after[0] is run.events[0][0]


@pytest.mark.parametrize(
    "name", ["dense", "dense of tf_keras", "convolutions", "loop of 5", "scaled", "embedded"]
)
def test_what_a_step_allocates_is_freed_or_belongs_to_a_variable(name: str) -> None:
    run = run_of(name)
    alive = Counter([*run.variables, *run.inputs])
    for buffer, is_new, _ in run.events:
        alive[buffer] += 1 if is_new else -1
        assert alive[buffer] in (0, 1)
    assert {buffer for buffer, count in alive.items() if count} == {*run.after, *run.inputs}


def test_an_lstm_with_recurrent_dropout_keeps_what_each_time_step_gives() -> None:
    short, long = run_of("loop of 5"), read_step(loop(10)).run()
    assert long.complete
    state = 4 * 32 * 1000
    kept_states = (peak_bytes(long, 1000) - peak_bytes(short, 1000)) / (5 * state)
    assert 8 < kept_states < 20  # gates, states, and both after their mask


def test_operations_that_nothing_leads_to_do_not_run() -> None:
    """A step is pruned: what neither gives a result nor changes a variable is not in it."""

    def step(given: tf.Tensor) -> tf.Tensor:
        tf.matmul(given, given)
        return tf.reduce_sum(given)

    nodes = read_step(of_function(step, tf.TensorSpec((64, 64), tf.float32))).nodes
    assert "MatMul" not in {node.op for node in nodes}
