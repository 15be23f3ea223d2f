"""Steps without a model, each for one behaviour of TensorFlow's executor."""

from collections.abc import Callable

import tensorflow as tf

BATCH, WIDTH = 256, 1024
Step = Callable[[tf.Tensor], tf.Tensor]


def chain(given: tf.Tensor) -> tf.Tensor:
    """Each operation writes over its input."""
    return tf.reduce_sum(tf.exp(tf.tanh(given * 2.0)))


def chain_with_reader(given: tf.Tensor) -> tf.Tensor:
    """The first result is read again at the end."""
    first = given * 2.0
    return tf.reduce_sum(tf.exp(tf.tanh(first)) * first)


def with_gradient(function: Step) -> Step:
    """The gradient, with a loss whose own is no constant that TensorFlow could compute before."""

    def step(given: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(given)
            loss = tf.square(tf.reduce_sum(function(given)))
        return tape.gradient(loss, given)

    return step


def repeated(function: Step, times: int) -> Step:
    def step(given: tf.Tensor) -> tf.Tensor:
        for _ in range(times):
            given = function(given)
        return given

    return with_gradient(step)


def silu_by_hand(given: tf.Tensor) -> tf.Tensor:
    """Keeps the sigmoid for the backward pass; `tf.nn.silu` computes it again."""
    return given * tf.sigmoid(given)


def looped(rounds: int) -> Step:
    """A while loop whose results the backward pass wants."""

    def step(given: tf.Tensor) -> tf.Tensor:
        return tf.while_loop(
            lambda number, _: number < rounds,
            lambda number, value: (number + 1, tf.tanh(value)),
            (0, given),
        )[1]

    return with_gradient(step)


def branches(left: int, right: int) -> Step:
    """The first branch where left is less than right; the other one gives more."""

    def step(given: tf.Tensor) -> tf.Tensor:
        is_less = tf.constant(left) < tf.constant(right)
        value = tf.cond(
            is_less, lambda: tf.transpose(given), lambda: tf.transpose(tf.tile(given, (1, 3)))
        )
        return tf.reduce_sum(value)

    return step


@tf.function
def called(given: tf.Tensor) -> tf.Tensor:
    return tf.transpose(tf.exp(given))


def calls(given: tf.Tensor) -> tf.Tensor:
    """One function with two shapes."""
    first = tf.reduce_sum(called(given))
    with tf.control_dependencies([first]):
        return first + tf.reduce_sum(called(tf.tile(given, (1, 3))))


def similarity(given: tf.Tensor) -> tf.Tensor:
    """Every sample with every other."""
    return tf.reduce_sum(tf.matmul(given, given, transpose_b=True))


# Those whose peak does not depend on which of two operations that could run comes first.
FUNCTIONS: dict[str, Step] = {
    "chain": chain,
    "chain with reader": chain_with_reader,
    "silu": repeated(tf.nn.silu, 6),
    "tanh": repeated(tf.tanh, 6),
    "relu": repeated(tf.nn.relu, 6),
    "loop of 5": looped(5),
    "loop of 9": looped(9),
    "first branch": branches(1, 2),
    "other branch": branches(2, 1),
    "calls": calls,
}
