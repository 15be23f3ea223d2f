"""Models go over and come back with all their state, bit for bit."""

import numpy as np
import pytest
from notebook.parcel.sending import Notebook, Sent

from fitguard.keras.state.model_state import ModelState
from fitguard.notebook.parcel.building import remembering_batches
from fitguard.notebook.prepared_fits import preparing_fits
from fitguard.state.not_carried import CannotCarry

X = np.random.default_rng(0).random((20, 4)).astype("float32")
Y = X.sum(axis=1, keepdims=True)

CELL = """
import keras
from keras import ops

POWER = 2.0


def own_loss(wanted, given):
    return ops.mean(ops.abs(wanted - given) ** POWER)


class Scaled(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = units

    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1], self.units))

    def call(self, x):
        return ops.matmul(x, self.scale)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


class OwnStep(keras.Model):
    def __init__(self):
        super().__init__()
        self.inner = Scaled(1)

    def call(self, x):
        return self.inner(x)

    def train_step(self, data):
        return {**super().train_step(data), "own": POWER}


class Told(keras.Model):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def call(self, x):
        return self.function(x)


class OwnCompile(keras.Model):
    def compile(self, speed, **kwargs):
        super().compile(**kwargs)
        self.speed = speed
"""


@pytest.fixture(scope="module")
def notebook():
    made = Notebook()
    made.run(CELL)
    return made


def lazy(notebook):
    keras = notebook["keras"]
    model = keras.Sequential(
        [notebook["Scaled"](6), keras.layers.Dropout(0.3, seed=1), keras.layers.Dense(1)]
    )
    model.compile(optimizer="adam", loss=notebook["own_loss"], metrics=["mae"])
    return model


def built(notebook):
    model = lazy(notebook)
    model.build((None, 4))
    return model


def with_lambdas(notebook):
    keras = notebook["keras"]
    notebook.run("doubled = lambda x: x * POWER\nsquared = lambda a, b: ops.mean((a - b) ** POWER)")
    inputs = keras.Input((4,))
    outputs = keras.layers.Dense(1)(keras.layers.Lambda(notebook["doubled"])(inputs))
    model = keras.Model(inputs, outputs)
    model.compile(optimizer=keras.optimizers.SGD(0.1, momentum=0.9), loss=notebook["squared"])
    return model


def own_step(notebook):
    model = notebook["OwnStep"]()
    model.compile(optimizer="rmsprop", loss="mse")
    return model


def of_tf_keras(notebook):  # noqa: ARG001
    import tf_keras

    model = tf_keras.Sequential(
        [tf_keras.Input((4,)), tf_keras.layers.Dense(3), tf_keras.layers.Dense(1)]
    )
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    return model


def trained(model):
    with remembering_batches():
        return model.fit(X, Y, batch_size=5, shuffle=False, verbose=0, epochs=2)


def same(one, other):
    left, right = ModelState(one).read(), ModelState(other).read()
    assert left.keys() == right.keys()
    assert all(np.array_equal(left[name], right[name]) for name in left)


@pytest.mark.parametrize("make", [lazy, built, with_lambdas, own_step, of_tf_keras])
def test_trained_over_there_is_trained_here(make, notebook, tmp_path):
    model = make(notebook)
    sent = Sent(model, tmp_path, notebook)
    with sent.other.as_main():
        history = trained(sent.value)
    received = sent.back({"model": sent.value, "history": history})
    assert received["model"] is model
    assert received["history"].history == history.history
    assert received["history"] is model.history
    assert received["history"].model is model
    same(model, sent.value)
    with sent.other.as_main():
        expected = trained(sent.value).history
    assert trained(model).history == expected


def test_a_model_that_only_a_first_batch_of_data_builds(tmp_path):
    import tf_keras

    class Rows(tf_keras.utils.Sequence):
        def __len__(self):
            return 2

        def __getitem__(self, index):
            return X[index::2], Y[index::2]

    model = tf_keras.Sequential([tf_keras.layers.Dense(1)])
    model.compile(loss="mse")
    sent = Sent(model, tmp_path)
    with remembering_batches():
        sent.value.fit(Rows(), verbose=0)
    sent.back(sent.value)
    same(model, sent.value)


def test_training_over_there_gives_what_training_here_gives(notebook, tmp_path):
    import keras

    keras.utils.set_random_seed(3)
    model = lazy(notebook)
    sent = Sent(model, tmp_path, notebook)
    # A layer that makes an initializer when it is built draws its seed then.
    keras.utils.set_random_seed(4)
    trained(model)
    keras.utils.set_random_seed(4)
    with sent.other.as_main():
        trained(sent.value)
    same(model, sent.value)


@pytest.mark.parametrize("make", [built, of_tf_keras])
def test_a_trained_model_goes_on_over_there_as_here(make, notebook, tmp_path):
    model = make(notebook)
    trained(model)
    sent = Sent(model, tmp_path, notebook)
    with sent.other.as_main(), preparing_fits(sent.late_states, ()):
        history = trained(sent.value).history
    assert trained(model).history == history
    same(model, sent.value)


def test_a_callback_brings_the_same_model_and_its_parts(notebook, tmp_path):
    import keras

    model = built(notebook)
    callback = keras.callbacks.EarlyStopping("loss", patience=3)
    callback.set_model(model)
    callback.layer, callback.weight = model.layers[2], model.layers[2].kernel
    received, other, optimizer = Sent([callback, model, model.optimizer], tmp_path, notebook).value
    assert received.model is other
    assert received.layer is other.layers[2]
    assert received.weight is other.layers[2].kernel
    assert optimizer is other.optimizer
    assert received.patience == 3


def test_an_optimizer_of_its_own_keeps_its_values(notebook, tmp_path):
    import keras

    optimizer = keras.optimizers.Adam(0.5)
    optimizer.learning_rate = 0.25
    received = Sent(optimizer, tmp_path, notebook).value
    assert float(received.learning_rate) == 0.25


def test_code_that_needs_the_model_that_it_is_part_of(notebook, tmp_path):
    notebook.run(
        """
def around():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])

    def loss(wanted, given):
        return own_loss(wanted, given) + 0.0 * len(model.layers) + 0.0 * len(looped.layers)

    model.compile(optimizer="sgd", loss=loss)
    return model


looped = around()
"""
    )
    sent = Sent(notebook["looped"], tmp_path, notebook)
    assert sent.other["looped"] is sent.value
    with sent.other.as_main():
        trained(sent.value)
    assert sent.back(sent.value) is notebook["looped"]
    same(notebook["looped"], sent.value)


def test_a_branch_on_a_tensor_is_compiled_over_there_too(notebook, tmp_path):
    notebook.run(
        """
import tensorflow as tf


@tf.function
def branching(x):
    if tf.reduce_sum(x) > 0:
        return x + POWER
    return -x
"""
    )
    sent = Sent([notebook["branching"], notebook["tf"].nn.relu], tmp_path, notebook)
    assert float(sent.value[0](notebook["tf"].constant(1.0))) == 3.0
    assert sent.value[1] is notebook["tf"].nn.relu
    assert sent.back(sent.value[0]) is notebook["branching"]


def test_a_model_without_config_is_refused_with_the_function_that_would_do(notebook, tmp_path):
    model = notebook["Told"](object())
    model.compile(loss="mse")
    with pytest.raises(CannotCarry, match=r"fitguard.fit\(build_model, x, y\)"):
        Sent(model, tmp_path, notebook)


def test_a_compile_of_its_own_is_refused_where_keras_would_leave_it_out(notebook, tmp_path):
    model = notebook["OwnCompile"]()
    model.compile(speed=3, loss="mse")
    with pytest.raises(CannotCarry, match=r"OwnCompile has a compile\(\) of its own"):
        Sent(model, tmp_path, notebook)
