"""Evaluation and prediction in pieces."""

from typing import Any

import numpy as np
import pytest


@pytest.fixture
def model() -> Any:
    import keras

    words = keras.Input((7,), dtype="int32")
    embedded = keras.layers.Embedding(11, 4, mask_zero=True)(words)
    normal = keras.layers.BatchNormalization()(embedded)
    each = keras.layers.Dense(1, name="each", kernel_regularizer="l2")(normal)
    one = keras.layers.Dense(2, name="one")(keras.layers.GlobalAveragePooling1D()(normal))
    model = keras.Model(words, {"each": each, "one": one})
    model.compile("sgd", {"each": "mse", "one": "mae"}, weighted_metrics={"each": ["mae"]})
    return model


@pytest.mark.parametrize("jit", [False, True])
def test_evaluation(model, sentences, rng, jit):
    from fitguard.keras.microbatch import split_evaluation

    words, numbers = sentences
    y = {"each": numbers, "one": rng.normal(size=(10, 2)).astype("float32")}
    model.jit_compile = jit
    expected = model.test_on_batch(words, y, return_dict=True)
    before = [variable.numpy() for variable in model.variables]
    model.reset_metrics()
    logs = split_evaluation(model)((words, y), 4)
    assert set(logs) == set(expected)
    for name, value in expected.items():
        np.testing.assert_allclose(logs[name], value, rtol=1e-6)
    for a, b in zip(before, model.variables, strict=True):
        np.testing.assert_array_equal(a, b.numpy())


def test_own_test_step(table):
    import keras

    from fitguard.keras.microbatch import split_evaluation

    class Own(keras.Model):
        def test_step(self, data: Any) -> Any:
            x, y = data
            loss = keras.ops.mean(keras.ops.abs(self(x)[:, 0] - keras.ops.cast(y, "float32")))
            return {"off": loss}

    given = keras.Input((6,))
    model = Own(given, keras.layers.Dense(1)(given))
    model.compile("sgd", "mse")
    x, y = table
    expected = np.abs(model.predict_on_batch(x)[:, 0] - y).mean()
    np.testing.assert_allclose(split_evaluation(model)((x, y), 4)["off"], expected, rtol=1e-6)


def test_prediction(model, sentences):
    from fitguard.keras.microbatch import split_prediction

    words, _ = sentences
    expected = model.predict_on_batch(words)
    outputs = split_prediction(model)((words,), 4)
    assert set(outputs) == {"each", "one"}
    for name, value in expected.items():
        np.testing.assert_allclose(outputs[name], value, rtol=1e-5, atol=1e-6)


def test_prediction_from_ragged_and_sparse_tensors():
    import tensorflow as tf

    from fitguard.keras.microbatch.cutting import Layout, bounds, slice_rows, whole_rows

    ragged = tf.ragged.constant([[1], [2, 3], [], [4, 5, 6], [7]])
    sparse = tf.sparse.from_dense(tf.reshape(tf.range(10), (5, 2)))
    layout = Layout((ragged, {"sparse": sparse, "none": None}))
    leaves = layout.leaves((ragged, {"sparse": sparse, "none": None}))
    pieces = [layout.batch(slice_rows(leaves, *at)) for at in bounds(whole_rows(leaves), 2)]
    assert [piece[0].to_list() for piece in pieces] == [[[1], [2, 3]], [[], [4, 5, 6]], [[7]]]
    assert pieces[0][1]["none"] is None
    together = tf.sparse.concat(0, [piece[1]["sparse"] for piece in pieces])
    np.testing.assert_array_equal(tf.sparse.to_dense(together), tf.sparse.to_dense(sparse))
