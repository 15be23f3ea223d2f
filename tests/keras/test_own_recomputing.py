"""`fitguard.keras.recompute`, in scripts that nobody guards."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import fitguard.keras
from fitguard.contract.rewritten import is_compiled
from fitguard.memory.recomputing.recomputed import NothingToRecompute, RecomputedFunction
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


def test_where_no_memory_can_be_saved_it_is_said_and_runs_as_it_is():
    double = fitguard.keras.recompute(lambda value: 2.0 * value)
    with pytest.warns(UserWarning, match="saves nothing here"):
        assert float(double(tf.ones(()))) == 2.0
    with pytest.raises(NothingToRecompute, match="No value of it"):
        RecomputedFunction(lambda value: 2.0 * value, 0.5).prepare(tf.zeros((4, 4)))


def test_a_share_that_cannot_be_had_is_said_once():
    with pytest.warns(UserWarning, match=r"asked for share=0\.01 .* is 0\.\d\d: it takes") as said:
        _, _, step = own_loop(lambda step: fitguard.keras.recompute(step, share=0.01))
    assert len([one for one in said if "fitguard" in str(one.message)]) == 1
    assert 0.01 < step.way.share < 1


def chain(value, scale=1.0, *, training=True, extra=None):
    """Large values that wait for the backward pass, and no model."""
    with tf.GradientTape() as tape:
        tape.watch(value)
        waiting = value * scale
        for _ in range(6):
            waiting = tf.tanh(tf.exp(waiting))
        loss = tf.reduce_mean(waiting)
    gradient = tape.gradient(loss, value)
    return {"loss": loss, "gradient": gradient, "none": extra} if training else loss


def large():
    return tf.constant(np.linspace(-1, 1, 100_000, dtype="float32"))


def test_arguments_are_as_for_a_function():
    again = fitguard.keras.recompute(chain, 0.6)
    wanted = chain(large(), 0.5)
    for found in (
        again(large(), 0.5),
        again(large().numpy(), 0.5),
        again(large(), scale=0.5),
        again(value=large(), scale=tf.constant(0.5)),
    ):
        assert found["none"] is None
        np.testing.assert_allclose(found["gradient"], wanted["gradient"], rtol=1e-5, atol=1e-9)
    assert again.way.count > 0


def test_arguments_that_cannot_be():
    again = fitguard.keras.recompute(chain, 0.6)
    with pytest.raises(UsageError, match="Received training, extra by name"):
        again(large(), training=False, extra=None)
    with pytest.raises(UsageError, match="the variable mine:0 as an argument"):
        again(tf.Variable(large(), name="mine"))


def test_a_step_without_a_result_is_taken_and_inside_of_a_function_it_is_refused():
    moved = tf.Variable(0.0)

    @fitguard.keras.recompute
    def step(value):
        moved.assign_add(chain(value, training=False))

    assert step(large()) is None
    assert float(moved) != 0
    before = float(moved)
    with pytest.raises(UsageError, match=r"from inside of a tf\.function"):
        tf.function(lambda: step(large()))()
    assert float(moved) == before


def test_a_method_gets_its_object():
    class Trainer:
        scale = 0.5

        @fitguard.keras.recompute
        @tf.function
        def decorated(self, value):
            return chain(value, self.scale)["loss"]

        @tf.function
        def bound(self, value):
            return chain(value, self.scale)["loss"]

    trainer = Trainer()
    wanted = float(chain(large(), 0.5)["loss"])
    np.testing.assert_allclose(float(trainer.decorated(large())), wanted, rtol=1e-6)
    again = fitguard.keras.recompute(trainer.bound)
    np.testing.assert_allclose(float(again(large())), wanted, rtol=1e-6)


def test_a_function_that_xla_compiles_stays_so():
    compiled = tf.function(chain, jit_compile=True)
    again = fitguard.keras.recompute(compiled, 0.6)
    np.testing.assert_allclose(
        again(large(), 0.5)["gradient"], compiled(large(), 0.5)["gradient"], rtol=1e-5, atol=1e-9
    )
    assert is_compiled(compiled.get_concrete_function(large(), 0.5))


@pytest.mark.parametrize("changed", [{"steps_per_execution": 2}, {"run_eagerly": True}])
def test_a_model_that_is_compiled_in_another_way_later_is_refused(changed):
    model, (x, y) = fitguard.keras.recompute(network(keras)), images()
    model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=False, **changed)
    with pytest.raises(UsageError, match="cannot be recomputed"):
        model.fit(x, y, batch_size=16, verbose=0)


def test_the_history_of_several_outputs_is_that_of_plain_keras():
    """Keras weights them by rows only where it does not know how many rows a batch has."""

    def several():
        model = network(keras)
        inner = model.layers[-2].output
        outputs = {name: keras.layers.Dense(1, name=name)(inner) for name in ("p", "q")}
        made = keras.Model(model.input, outputs)
        made.compile(keras.optimizers.SGD(0.01), {"p": "mse", "q": "mae"}, jit_compile=False)
        return made

    x, y = images(40)
    targets = {"p": y.astype("float32"), "q": 2.0 * y.astype("float32")}
    wanted = several().fit(x, targets, batch_size=32, shuffle=False, verbose=0).history
    model = fitguard.keras.recompute(several(), 0.5)
    found = model.fit(x, targets, batch_size=32, shuffle=False, verbose=0).history
    assert wanted.keys() == found.keys()
    for name, values in wanted.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-4)


@pytest.mark.parametrize("share", [0, 1, -0.5, 2, "half", None, True])
def test_a_share_that_is_none(share):
    with pytest.raises(UsageError, match="Expected a number between 0 and 1"):
        fitguard.keras.recompute(lambda: 0, share)


def test_what_is_no_step():
    with pytest.raises(UsageError, match=r"Received step=\[1\]"):
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
