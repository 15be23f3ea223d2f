"""`fitguard.keras.recompute`, in scripts that nobody guards."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import fitguard.keras
from fitguard.memory.recomputing.recomputed import NothingToRecompute
from fitguard.schema.exit_codes import UsageError


def network(library):
    library.utils.set_random_seed(4)
    layers = library.layers
    given = value = library.Input((16, 16, 3))
    for number in range(6):
        new = layers.Conv2D(8, 3, padding="same")(value)
        new = layers.ReLU()(layers.BatchNormalization()(new))
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    model = library.Model(given, layers.Dense(10, activation="softmax")(value))
    model.compile(
        library.optimizers.SGD(0.05),
        "sparse_categorical_crossentropy",
        metrics=["accuracy"],
        jit_compile=False,
    )
    return model


def images(rows=40):
    random = np.random.default_rng(2)
    x = random.normal(size=(rows, 16, 16, 3)).astype("float32")
    return x, random.integers(0, 10, rows).astype("int32")


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_a_model_trains_with_fit_as_before(library):
    x, y = images()
    plain = network(library)
    wanted = plain.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0)
    model = network(library)
    assert fitguard.keras.recompute(model, 0.5) is model
    found = model.fit(x, y, batch_size=16, epochs=2, shuffle=False, verbose=0)
    for name, values in wanted.history.items():
        np.testing.assert_allclose(values, found.history[name], rtol=1e-3)
    for one, two in zip(plain.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-5)
    np.testing.assert_allclose(
        plain.train_on_batch(x[:16], y[:16])[0], model.train_on_batch(x[:16], y[:16])[0], rtol=1e-3
    )


def own_loop(wrap):
    model, (x, y) = network(keras), images(16)
    optimizer = keras.optimizers.SGD(0.05)

    @tf.function
    def step(batch):
        pixels, labels = batch
        with tf.GradientTape() as tape:
            losses = keras.losses.sparse_categorical_crossentropy(
                labels, model(pixels, training=True)
            )
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return {"loss": loss}

    step = wrap(step)
    losses = [float(step((tf.constant(x), tf.constant(y)))["loss"]) for _ in range(3)]
    return losses, model.get_weights(), step


def test_a_step_of_ones_own_gives_the_same():
    losses, weights, _ = own_loop(lambda step: step)
    found, others, step = own_loop(lambda step: fitguard.keras.recompute(step, share=0.5))
    np.testing.assert_allclose(losses, found, rtol=1e-4)
    for one, two in zip(weights, others, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-3, atol=1e-5)
    assert step.way.count > 0
    assert step.way.share <= 0.5


def test_where_no_memory_can_be_saved_it_is_said():
    double = fitguard.keras.recompute(lambda value: 2.0 * value)
    with pytest.raises(NothingToRecompute):
        double(tf.zeros((4, 4)))


@pytest.mark.parametrize("share", [0, 1, -0.5, 2, "half", None, True])
def test_a_share_that_is_none(share):
    with pytest.raises(UsageError, match="Expected a number between 0 and 1"):
        fitguard.keras.recompute(lambda: 0, share)


def test_what_is_no_step():
    with pytest.raises(UsageError, match="Received a list"):
        fitguard.keras.recompute([1])
    with pytest.raises(UsageError, match="not compiled"):
        fitguard.keras.recompute(keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)]))
    model = network(keras)
    model.compile("sgd", "mse", run_eagerly=True)
    with pytest.raises(UsageError, match="eagerly"):
        fitguard.keras.recompute(model)
    model.compile("sgd", "mse", steps_per_execution=2, jit_compile=False)
    with pytest.raises(UsageError, match="steps_per_execution"):
        fitguard.keras.recompute(model)
