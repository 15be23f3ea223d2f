"""Models and steps that are not the usual ones: each gets a plan, or a clear answer."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import fitguard
from fitguard.schema.exit_codes import UsageError

LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
MODES = pytest.mark.parametrize("jit_compile", [False, True], ids=["graph", "xla"])
X, Y = np.zeros((4, 16), "float32"), np.zeros((4, 4), "float32")


def plan(model, batch_size=512, **settings):
    given = {"jit_compile": False, "advice": False, "gpu_memory": "8GiB", **settings}
    return fitguard.plan(model, batch_size, **given)


def small(library, *between, **settings):
    layers = [library.Input((16,)), *between, library.layers.Dense(4)]
    model = library.Sequential(layers)
    model.compile(**{"optimizer": "adam", "loss": "mse", **settings})
    return model


def grown(found):
    """Whether a larger batch needs more, in the order of what its input takes."""
    return found.batch_bytes >= sum(
        4 * np.prod(shape[1:], dtype=int) for _, shape, _ in found.step.inputs
    )


def held(found):
    """What lies in memory between the steps."""
    return found.breakdown.weights + found.breakdown.optimizer


def adversaries(library):
    """A generator and a discriminator, with an optimizer each, in one `train_step`."""
    dense = library.layers.Dense

    class Adversaries(library.Model):
        def __init__(self):
            super().__init__()
            self.maker = library.Sequential([library.Input((8,)), dense(256), dense(16)])
            self.judge = library.Sequential([library.Input((16,)), dense(256), dense(1)])

        def compile(self, first, second):
            super().compile()
            self.optimizers = [first, second]

        def train_step(self, real):
            for model, optimizer in zip((self.judge, self.maker), self.optimizers, strict=True):
                with tf.GradientTape() as tape:
                    noise = tf.random.normal((tf.shape(real)[0], 8))
                    both = tf.concat([self.maker(noise), real], axis=0)
                    loss = tf.reduce_mean(self.judge(both) ** 2)
                weights = model.trainable_weights
                optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
            return {"loss": loss}

    model = Adversaries()
    model.compile(library.optimizers.Adam(), library.optimizers.Adam())
    return model


@LIBRARIES
def test_two_optimizers_in_one_step(library):
    found = plan(adversaries(library), x=X)
    assert found.fits
    assert grown(found)
    assert found.breakdown.weights > 4 * 2 * 256 * 16


@LIBRARIES
def test_optimizers_around_optimizers(library):
    policy = library.mixed_precision.Policy("mixed_float16")
    model = small(library, library.layers.Dense(64, dtype=policy))
    inner = library.optimizers.Adam()
    scaled = library.mixed_precision.LossScaleOptimizer(inner)
    model.compile(scaled, "mse")
    assert held(plan(model)) >= 3 * 4 * model.count_params()


def test_an_optimizer_of_the_old_kind():
    model = small(tf_keras, optimizer=tf_keras.optimizers.legacy.Adam())
    assert held(plan(model)) >= 3 * 4 * model.count_params()


@pytest.mark.parametrize(
    ("settings", "slots"),
    [
        ({"global_clipnorm": 1.0}, 2),
        ({"use_ema": True}, 3),
        ({"gradient_accumulation_steps": 4}, 3),
    ],
)
def test_settings_of_optimizers(settings, slots):
    model = small(keras, keras.layers.Dense(512), optimizer=keras.optimizers.Adam(**settings))
    weights = 4 * model.count_params()
    assert (
        slots * weights <= plan(model).breakdown.optimizer < (slots + 1.2) * weights
    )  # one may lie there twice


def python_if(library):
    class Choosing(library.Model):
        def __init__(self):
            super().__init__()
            self.last = library.layers.Dense(4)

        def call(self, values):
            if tf.reduce_sum(values) > 0:
                return self.last(values)
            return self.last(2.0 * values)

    model = Choosing()
    model.compile("adam", "mse")
    return model


@MODES
def test_tensorflow_makes_branches_of_python_in_tf_keras(jit_compile):
    assert plan(python_if(tf_keras), x=X, y=Y, jit_compile=jit_compile).fits


def test_but_not_in_keras_3_as_fit_would_say_too():
    with pytest.raises(UsageError, match="not allowed") as refused:
        plan(python_if(keras), x=X, y=Y)
    assert "\x1b" not in str(refused.value)  # Keras colours its errors


@LIBRARIES
def test_a_model_made_under_a_strategy(library):
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope() as _:
        model = small(library)
    found = plan(model, jit_compile="auto")
    assert found.mode == "graph"
    assert any("saw one device" in told for told in found.assumptions)
    assert not plan(model, replicas=2).assumptions


def test_inside_of_a_scope():
    model = small(keras)
    with (
        tf.distribute.MirroredStrategy(["CPU:0"]).scope(),
        pytest.raises(UsageError, match="Expected it outside"),
    ):
        plan(model)


class Trainer:
    """A loop of the user's own; its step is a method that is a `tf.function`."""

    def __init__(self):
        self.model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(4)])
        self.optimizer = keras.optimizers.Adam()

    @tf.function
    def train(self, x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.model(x) - y) ** 2)
        weights = self.model.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        return loss


@MODES
def test_a_loop_of_the_users_own(jit_compile):
    trainer = Trainer()
    before = trainer.model.get_weights()
    found = plan(trainer.train, x=(X, Y), jit_compile=jit_compile)
    assert found.fits
    assert found.step.inputs[0] == ("x", (512, 16), "float32")
    assert not trainer.optimizer.built
    for now, then in zip(trainer.model.get_weights(), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_a_step_with_an_axis_of_unknown_length():
    with pytest.raises(UsageError, match=r"\(None, None\): axis 1 is open"):
        plan(lambda x: tf.reduce_sum(x), x=((None, None),))


def test_a_step_that_raises_is_told_as_a_function():
    def step(x):
        raise KeyError(f"no such column in {x.shape}")

    with pytest.raises(UsageError, match=r"no such column(.|\n)*Expected a function") as refused:
        plan(step, x=(X,))
    assert "train_on_batch" not in str(refused.value)


def test_a_stateful_layer_takes_one_batch_size():
    layers = [keras.Input(batch_shape=(8, 5, 4)), keras.layers.LSTM(4, stateful=True)]
    model = keras.Sequential(layers)
    model.compile("adam", "mse")
    found = plan(model, None)
    assert (found.batch_size, found.micro_batch_size, found.largest_batch_size) == (8, 8, None)
    with pytest.raises(UsageError, match="made for batches of 8"):
        plan(model, 16)


def test_several_inputs_and_outputs_with_losses_by_name():
    a, b = keras.Input((16,), name="a"), keras.Input((8, 8, 3), name="b")
    seen = keras.layers.GlobalMaxPooling2D()(keras.layers.Conv2D(4, 3)(b))
    both = keras.layers.Concatenate()([a, seen])
    outputs = {
        "kind": keras.layers.Dense(5, activation="softmax", name="kind")(both),
        "size": keras.layers.Dense(1, name="size")(both),
    }
    model = keras.Model({"a": a, "b": b}, outputs)
    model.compile("adam", {"kind": "sparse_categorical_crossentropy", "size": "mse"})
    found = plan(model)
    shapes = {name: shape for name, shape, _ in found.step.inputs}
    assert shapes == {
        "x['a']": (512, 16),
        "x['b']": (512, 8, 8, 3),
        "y['kind']": (512,),
        "y['size']": (512, 1),
    }
    assert grown(found)


def test_frozen_layers_have_neither_gradients_nor_slots():
    base = keras.Sequential([keras.Input((16,)), keras.layers.Dense(4096)])
    base.trainable = False
    model = small(keras, base)
    head = 4 * (4096 * 4 + 4)
    found = plan(model).breakdown
    assert found.weights > 4 * 16 * 4096
    assert found.optimizer < 2 * head + 4096


@MODES
def test_pairs_of_samples_grow_with_the_square(jit_compile):
    class Contrast(keras.Model):
        def __init__(self):
            super().__init__()
            self.encoder = keras.layers.Dense(8)

        def call(self, values):
            return self.encoder(values)

        def train_step(self, data):
            with tf.GradientTape() as tape:
                code = self(data)
                loss = tf.reduce_mean(tf.matmul(code, code, transpose_b=True) ** 2)
            weights = self.trainable_variables
            self.optimizer.apply(tape.gradient(loss, weights), weights)
            return {"loss": loss}

    model = Contrast()
    model.compile("adam")
    small_batch = plan(model, 2048, x=X, jit_compile=jit_compile).required_bytes.likely
    large_batch = plan(model, 8192, x=X, jit_compile=jit_compile).required_bytes.likely
    assert large_batch > 4 * 8192**2
    assert large_batch > 4 * small_batch
