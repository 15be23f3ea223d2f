"""The random numbers of some rows are those that the rows have in the whole batch."""

from typing import Any

import numpy as np
import pytest


def drawn(draw: Any, start: int, rows: int, whole: int, jit: bool) -> Any:
    """What `draw` gives for some rows; it gets a tensor with that many rows."""
    import tensorflow as tf

    from fitguard.keras.microbatch import draws
    from fitguard.keras.microbatch.patches import installed
    from fitguard.keras.microbatch.split import Split, tracing

    @tf.function(
        jit_compile=jit,
        input_signature=[tf.TensorSpec((None, 3, 5)), *[tf.TensorSpec((), tf.int32)] * 2],
        autograph=False,
    )
    def traced(x: Any, start: Any, whole: Any) -> Any:
        split = Split(start=start, rows=tf.shape(x)[0], whole=whole, jit=jit)
        with installed(draws.patches()), tracing(split):
            return draw(x)

    return traced(tf.ones((rows, 3, 5)), tf.constant(start), tf.constant(whole)).numpy()


def draws_of() -> dict[str, Any]:
    import keras
    import tensorflow as tf

    random = keras.random
    return {
        "dropout": lambda x: random.dropout(x, 0.5, seed=3),
        "noise of one channel": lambda x: random.dropout(x, 0.5, (None, 1, 5), seed=3),
        "noise for all rows": lambda x: random.dropout(x, 0.5, (1, 3, 5), seed=3),
        "uniform": lambda x: random.uniform(tf.shape(x), seed=3),
        "normal": lambda x: random.normal(keras.ops.shape(x), seed=3),
        "one for a row": lambda x: random.uniform((tf.shape(x)[0],), seed=3),
        "half": lambda x: random.uniform(tf.shape(x), dtype="float16", seed=3),
        "double": lambda x: random.normal(tf.shape(x), dtype="float64", seed=3),
        "truncated": lambda x: random.truncated_normal(tf.shape(x), seed=3),
        "integers": lambda x: random.randint(tf.shape(x), 0, 1000, seed=3),
        "long integers": lambda x: random.randint(tf.shape(x), 0, 1000, "int64", seed=3),
        "rows times heads": lambda x: random.uniform((tf.shape(x)[0] * 3, 5), seed=3),
    }


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("name", list(draws_of()))
def test_same_draw(name, jit):
    draw = draws_of()[name]
    whole = drawn(draw, 0, 10, 10, jit)
    parts = [drawn(draw, start, rows, 10, jit) for start, rows in ((0, 3), (3, 3), (6, 3), (9, 1))]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("jit", [False, True])
def test_whole_batch_is_drawn_as_plainly(jit):
    import keras
    import tensorflow as tf

    x = tf.ones((10, 3, 5))
    plain = tf.function(lambda: keras.random.dropout(x, 0.5, seed=3), jit_compile=jit)()
    np.testing.assert_array_equal(plain, drawn(draws_of()["dropout"], 0, 10, 10, jit))


def test_nothing_is_replaced_afterwards():
    from tensorflow.python.ops import gen_stateless_random_ops_v2 as ops

    before = ops.stateless_random_uniform_v2
    drawn(draws_of()["uniform"], 0, 3, 10, jit=False)
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
    model.train_on_batch(*table)
    assert any("tf.function of the model's own" in note for note in step.notes)
