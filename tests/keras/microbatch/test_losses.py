"""Each loss of a micro-batch has its part in that of the whole batch."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


def model_with(loss: Any, *extra: Any, **compiled: Any) -> Callable[[], Any]:
    import keras

    def make() -> Any:
        model = keras.Sequential(
            [keras.Input((6,)), keras.layers.Dense(4, "tanh"), *[layer() for layer in extra]]
        )
        model.add(keras.layers.Dense(1))
        model.compile(keras.optimizers.SGD(0.01), loss, **compiled)
        return model

    return make


def numbers(table: tuple[Any, Any]) -> tuple[Any, Any]:
    x, y = table
    return x, y.astype("float32")[:, None]


@pytest.mark.parametrize(
    ("reduction", "weighted"),
    [("sum", True), ("mean", False), ("mean_with_sample_weight", True), (None, False)],
)
def test_reductions(compare, table, rng, reduction, weighted):
    import keras

    weights = rng.random(10).astype("float32") if weighted else None
    loss = keras.losses.MeanSquaredError(reduction=reduction)
    found = compare(model_with(loss), *numbers(table), weights, rows=(4, 3))
    assert found.weights < 1e-6
    assert found.logs < 1e-6


def test_function_as_a_loss(compare, table):
    import keras

    def loss(y: Any, predicted: Any) -> Any:
        return keras.ops.abs(y - predicted)

    found = compare(model_with(loss), *numbers(table), rows=(4, 3))
    assert found.weights < 1e-6
    assert found.logs < 1e-6


@pytest.mark.parametrize("reduce", ["mean", "sum"])
def test_loss_and_metric_that_are_one_number(compare, table, reduce):
    import keras

    def loss(y: Any, predicted: Any) -> Any:
        return getattr(keras.ops, reduce)(keras.ops.abs(y - predicted))

    def bias(y: Any, predicted: Any) -> Any:
        return keras.ops.mean(predicted - y)

    found = compare(model_with(loss, metrics=[bias]), *numbers(table), rows=(4, 3))
    assert found.weights < 1e-6
    assert found.logs < 1e-6
    assert not found.notes


def test_losses_that_layers_add(compare, table):
    import keras

    class Adds(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            self.add_loss(0.01 * keras.ops.sum(keras.ops.square(x)))
            self.add_loss(keras.ops.mean(keras.ops.square(x)))
            return x

    def dropout() -> Any:
        return keras.layers.Dropout(0.3)

    found = compare(model_with("mse", dropout, Adds), *numbers(table), rows=(4, 3))
    assert found.weights < 1e-6
    assert found.logs < 1e-6
    assert not found.notes


def test_added_loss_that_is_neither_mean_nor_sum_is_named(compare, table):
    import keras

    class Root(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            self.add_loss(keras.ops.sqrt(keras.ops.sum(keras.ops.square(x))))
            return x

    found = compare(model_with("mse", Root), *numbers(table), rows=(4,))
    assert len(found.notes) == 1
    assert "neither their mean nor their sum" in found.notes[0]


def test_layer_of_the_user_that_looks_at_all_rows_is_found(compare, table):
    import keras

    class Centred(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x - keras.ops.mean(x, axis=0, keepdims=True)

    found = compare(model_with("mse", Centred), *numbers(table), rows=(4,))
    assert "looks at several rows at once" in found.notes[0]
    assert found.weights > 1e-6


def test_random_numbers_without_a_seed_of_keras_are_found(compare, table):
    import keras
    import tensorflow as tf

    class Noise(keras.layers.Layer):
        def call(self, x: Any) -> Any:
            return x + tf.random.normal(tf.shape(x))

    found = compare(model_with("mse", Noise), *numbers(table), rows=(4,))
    assert "draws random numbers that cannot be drawn again" in found.notes[0]


def test_losses_of_outputs_count_as_in_fit(table):
    """Of batches of 4, 4 and 2 rows: by rows or not, as the spec of the data says."""
    import keras
    import tensorflow as tf

    from fitguard.keras.microbatch import MicroTrainStep

    x, y = numbers(table)

    def make() -> Any:
        keras.utils.set_random_seed(1)
        given = keras.Input((6,))
        outputs = [keras.layers.Dense(1, name="a")(given), keras.layers.Dense(1, name="b")(given)]
        model = keras.Model(given, outputs)
        model.compile("sgd", ["mse", "mae"], loss_weights=[1.0, 0.5])
        return model

    data = tf.data.Dataset.from_tensor_slices((x, (y, y))).batch(4)
    expected = make().fit(data, verbose=0).history
    model = make()
    step = MicroTrainStep(model, element_spec=data.element_spec)
    for batch in data:
        logs = step(batch, 3)
    for name, values in expected.items():
        np.testing.assert_allclose(logs[name], values[0], rtol=1e-6)


@pytest.mark.parametrize("labelled", [4, 10], ids=["the first rows", "all rows"])
def test_a_mean_over_what_is_labelled_is_found(compare, table, labelled):
    """Also where each row of the first batch has a label."""
    import keras

    def masked(y: Any, predicted: Any) -> Any:
        known = keras.ops.cast(y >= 0, "float32")
        return keras.ops.sum(known * keras.ops.abs(y - predicted)) / keras.ops.sum(known)

    x, y = numbers(table)
    y[labelled:] = -1
    found = compare(model_with(masked), x, y)
    assert "divided by a number that depends on the values of all rows" in found.notes[0]


def test_rows_that_are_tried_come_from_all_over_the_batch(compare, table):
    """The first eight are alike: among them, nothing differs."""
    import keras

    def loss(y: Any, predicted: Any) -> Any:
        return keras.ops.max(y) * keras.ops.mean(keras.ops.abs(predicted))

    x, y = numbers(table)
    y[:] = 1
    y[-1] = 3
    found = compare(model_with(loss), x, y)
    assert "neither their mean nor their sum" in found.notes[0]
