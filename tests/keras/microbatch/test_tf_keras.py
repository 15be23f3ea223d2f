"""The same for tf_keras."""

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.soak


def compared(make: Any, x: Any, y: Any, weights: Any = None, steps: int = 3) -> tuple[Any, Any]:
    """Distance of weights and of logs after some steps."""
    import tf_keras

    from fitguard.keras.microbatch import MicroTrainStep

    tf_keras.utils.set_random_seed(1)
    whole, micro = make(), make()
    micro.set_weights(whole.get_weights())
    step = MicroTrainStep(micro)
    for _ in range(steps):
        expected = whole.train_on_batch(x, y, weights, return_dict=True)
        micro.reset_metrics()
        logs = step((x, y, weights), 4)
    assert set(logs) == set(expected)
    assert int(micro._train_counter) == steps
    off = [
        np.linalg.norm(a - b) / max(np.linalg.norm(a), 1e-12)
        for a, b in zip(whole.get_weights(), micro.get_weights(), strict=True)
    ]
    return max(off), max(abs(float(logs[name]) / expected[name] - 1) for name in expected)


def dense(**more: Any) -> Any:
    import tf_keras

    layers = tf_keras.layers
    hidden = layers.Dense(8, "relu", kernel_regularizer="l2", activity_regularizer="l2")
    model = tf_keras.Sequential([tf_keras.Input((6,)), hidden, layers.Dense(3)])
    loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf_keras.optimizers.SGD(0.1, momentum=0.9, clipnorm=0.5)
    model.compile(optimizer, loss, metrics=["accuracy"], **more)
    return model


@pytest.mark.parametrize("jit", [False, True])
def test_dense(table, rng, jit):
    weights, logs = compared(
        lambda: dense(jit_compile=jit), *table, rng.random(10).astype("float32")
    )
    assert weights < 1e-6
    assert logs < 1e-6


def test_masks_and_several_outputs(sentences, rng):
    import tf_keras

    layers = tf_keras.layers

    def make() -> Any:
        words = tf_keras.Input((7,), dtype="int32")
        embedded = layers.Embedding(11, 4, mask_zero=True)(words)
        each = layers.Dense(1, name="each")(embedded)
        one = layers.Dense(1, name="one")(layers.GlobalMaxPooling1D()(embedded))
        model = tf_keras.Model(words, [each, one])
        model.compile("adam", ["mse", "mae"], loss_weights=[0.3, 2.0])
        return model

    words, numbers = sentences
    found = compared(make, words, [numbers, rng.normal(size=(10, 1)).astype("float32")])
    assert found[0] < 1e-6
    assert found[1] < 1e-6


def test_own_train_step(table):
    import tensorflow as tf
    import tf_keras

    class Own(tf_keras.Model):
        def train_step(self, data: Any) -> Any:
            x, y, _ = tf_keras.utils.unpack_x_y_sample_weight(data)
            with tf.GradientTape() as tape:
                predicted = self(x, training=True)
                loss = self.compute_loss(x, y, predicted)
            self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
            return self.compute_metrics(x, y, predicted, None)

    def make() -> Any:
        given = tf_keras.Input((6,))
        model = Own(given, tf_keras.layers.Dense(3)(given))
        loss = tf_keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile("adam", loss)
        return model

    found = compared(make, *table)
    assert found[0] < 1e-6
    assert found[1] < 1e-6


def test_what_differs_is_named():
    import tf_keras

    from fitguard.keras.microbatch import describe_batchwise, describe_unsupported

    layers = tf_keras.layers
    random = [layers.Dropout(0.5, name="drop"), layers.LSTM(3, name="quiet")]
    model = tf_keras.Sequential(
        [tf_keras.Input((4, 6)), layers.BatchNormalization(name="norm"), *random, layers.Dense(1)]
    )
    model.compile("sgd", "mse")
    norm, drop = describe_batchwise(model)
    assert norm.startswith("BatchNormalization norm normalizes")
    assert drop.startswith("Dropout drop of tf_keras draws other random numbers")
    assert describe_unsupported(model) == ""


def test_evaluation_and_prediction(table):
    from fitguard.keras.microbatch import split_evaluation, split_prediction

    x, y = table
    model = dense()
    expected = model.test_on_batch(x, y, return_dict=True)
    model.reset_metrics()
    logs = split_evaluation(model)((x, y), 4)
    for name, value in expected.items():
        np.testing.assert_allclose(logs[name], value, rtol=1e-6)
    outputs = split_prediction(model)((x,), 4)
    np.testing.assert_allclose(outputs, model.predict_on_batch(x), rtol=1e-5, atol=1e-6)
