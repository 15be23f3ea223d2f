"""The random numbers of some rows are those that the rows have in the whole batch."""

from typing import Any

import numpy as np
import pytest


def draws_of(x: Any) -> dict[str, Any]:
    """All kinds of draws for the rows of `x`, which has 15 numbers in a row."""
    import keras
    import tensorflow as tf

    random, shape = keras.random, tf.shape(x)
    return {
        "dropout": random.dropout(x, 0.5, seed=3),
        "noise of one channel": random.dropout(x, 0.5, (None, 1, 5), seed=3),
        "noise for all rows": random.dropout(x, 0.5, (1, 3, 5), seed=3),
        "uniform": random.uniform(shape, seed=3),
        "normal": random.normal(keras.ops.shape(x), seed=3),
        "one for a row": random.uniform((shape[0],), seed=3),
        "half": random.uniform(shape, dtype="float16", seed=3),
        "double": random.normal(shape, dtype="float64", seed=3),
        "truncated": random.truncated_normal(shape, seed=3),
        "integers": random.randint(shape, 0, 1000, seed=3),
        "long integers": random.randint(shape, 0, 1000, "int64", seed=3),
        "rows times heads": random.uniform((shape[0] * 3, 5), seed=3),
    }


def drawing(jit: bool) -> Any:
    """Gives the draws of some rows: where they start, how many, and how many there are in all."""
    import tensorflow as tf

    from fitguard.keras.microbatch.split import Split, tracing
    from fitguard.keras.microbatch.wraps import install

    install()
    number = tf.TensorSpec((), tf.int32)

    @tf.function(
        jit_compile=jit,
        autograph=False,
        input_signature=[tf.TensorSpec((None, 3, 5)), number, number],
    )
    def traced(x: Any, start: Any, whole: Any) -> Any:
        split = Split(start=start, rows=tf.shape(x)[0], whole=whole, jit=jit)
        with tracing(split):
            return draws_of(x)

    def drawn(start: int, rows: int, whole: int) -> dict[str, Any]:
        found = traced(tf.ones((rows, 3, 5)), tf.constant(start), tf.constant(whole))
        return {name: value.numpy() for name, value in found.items()}

    return drawn


@pytest.mark.parametrize("jit", [False, True])
def test_same_draws_as_of_the_whole_batch(jit):
    import tensorflow as tf

    plainly = tf.function(draws_of, jit_compile=jit, autograph=False)(tf.ones((10, 3, 5)))
    draw = drawing(jit)
    parts = [draw(start, rows, 10) for start, rows in ((0, 3), (3, 3), (6, 4))]
    for name, whole in plainly.items():
        together = np.concatenate([part[name] for part in parts])
        np.testing.assert_array_equal(whole.numpy(), together, name)


def test_nothing_is_replaced_afterwards():
    from tensorflow.python.ops import gen_stateless_random_ops_v2 as ops

    before = ops.stateless_random_uniform_v2
    drawing(jit=False)(0, 3, 10)
    assert ops.stateless_random_uniform_v2 is before


def test_function_inside_that_keeps_its_trace_is_left_alone(table):
    import keras
    import tensorflow as tf

    from fitguard.keras.microbatch import MicroTrainStep

    class Own(keras.layers.Layer):
        @tf.function
        def call(self, x: Any) -> Any:
            return keras.random.dropout(x, 0.5, seed=3)

    model = keras.Sequential([keras.Input((6,)), Own(), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    step = MicroTrainStep(model)
    step(table, 4)
    assert "draws random numbers that cannot be drawn again" in step.notes[0]
    model.train_on_batch(*table)
