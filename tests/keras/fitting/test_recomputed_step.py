"""A step that is recomputed is the step of the model itself."""

from types import SimpleNamespace

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

from fitguard.keras.fitting.recomputed_step import RecomputedStep, describe_not_recomputable
from fitguard.keras.fitting.recomputing import Recomputing
from fitguard.memory.recomputing import recomputed
from fitguard.memory.recomputing.recomputed import NothingToRecompute

LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
ROWS = 24


def functional(library):
    layers = library.layers
    given = value = library.Input((16, 16, 3))
    for number in range(6):
        new = layers.Conv2D(8, 3, padding="same")(value)
        new = layers.ReLU()(layers.BatchNormalization()(new))
        new = layers.Dropout(0.2, seed=number)(new)
        value = layers.Add()([value, new]) if number else new
    value = layers.GlobalAveragePooling2D()(value)
    return library.Model(given, layers.Dense(10, activation="softmax")(value))


def subclassed(library):
    class Net(library.Model):
        def __init__(self):
            super().__init__()
            self.inner = functional(library)

        def call(self, inputs, training=None):
            return self.inner(inputs, training=training)

    return Net()


def with_own_step(library):
    class Net(library.Model):
        """Two optimizer steps in one: its batch cannot be cut."""

        def __init__(self):
            super().__init__()
            self.inner = functional(library)

        def call(self, inputs, training=None):
            return self.inner(inputs, training=training)

        def train_step(self, data):
            x, y = data
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(
                        library.losses.sparse_categorical_crossentropy(y, self(x, training=True))
                    )
                variables = self.trainable_variables
                gradients = tape.gradient(loss, variables)
                self.optimizer.apply_gradients(zip(gradients, variables, strict=True))
            return {"loss": loss}

    return Net()


def compiled(build, library, rows=1, **more):
    library.utils.set_random_seed(3)
    model = build(library)
    given = {"optimizer": library.optimizers.SGD(0.05, momentum=0.9), **more}
    model.compile(loss="sparse_categorical_crossentropy", jit_compile=False, **given)
    model(np.zeros((rows, 16, 16, 3), "float32"))
    model.optimizer.build(model.trainable_variables)
    return model


def batch_of(rows=ROWS, side=16):
    random = np.random.default_rng(1)
    x = random.normal(size=(rows, side, side, 3)).astype("float32")
    return tf.constant(x), tf.constant(random.integers(0, 10, rows).astype("int32"))


def plain_step(model):
    @tf.function(autograph=False)
    def step(*batch):
        return model.train_step(batch)

    return lambda batch: step(*batch)


def train(step, model, batches):
    for batch in batches:
        for metric in model.metrics:
            getattr(metric, "reset_state", getattr(metric, "reset_states", None))()
        logs = step(batch)
    return [np.array(value) for value in model.get_weights()], logs


def assert_same(build, library, share, batches, **more):
    plain = compiled(build, library, **more)
    wanted, wanted_logs = train(plain_step(plain), plain, batches)
    model = compiled(build, library, **more)
    step = RecomputedStep(model, share)
    found, logs = train(step, model, batches)
    assert step.way.count > 0
    assert step.way.share < 1
    for one, two in zip(wanted, found, strict=True):
        np.testing.assert_allclose(one, two, rtol=2e-4, atol=1e-5)
    assert wanted_logs.keys() == logs.keys()
    for name, value in wanted_logs.items():
        np.testing.assert_allclose(float(value), float(logs[name]), rtol=1e-4)


@LIBRARIES
@pytest.mark.parametrize("share", [0.5, 0.1])
@pytest.mark.parametrize("build", [functional, subclassed, with_own_step])
def test_weights_statistics_and_logs_are_those_of_the_plain_step(build, share, library):
    batches = [batch_of(), batch_of()]
    assert_same(build, library, share, batches)


@pytest.mark.parametrize("optimizer", ["adamw", "rmsprop", "lion", "clipped", "averaged"])
def test_in_double_precision_it_is_the_same_step(optimizer):
    """Also with the least memory, where updates do not wait for each other."""
    made = {
        "clipped": lambda: keras.optimizers.Adam(0.01, global_clipnorm=0.1),
        "averaged": lambda: keras.optimizers.Adam(
            0.01, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2
        ),
    }
    make = made.get(optimizer, lambda: optimizer)
    keras.config.set_dtype_policy("float64")
    try:
        images, labels = batch_of()
        batches = [(tf.cast(images, "float64"), labels)] * 3
        plain, model = (compiled(functional, keras, optimizer=make()) for _ in range(2))
        wanted, _ = train(plain_step(plain), plain, batches)
        step = RecomputedStep(model, 0.1)
        found, _ = train(step, model, batches)
    finally:
        keras.config.set_dtype_policy("float32")
    assert len(step.way.edits) > 3
    for one, two in zip(wanted, found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-11)


def test_in_mixed_precision():
    keras.config.set_dtype_policy("mixed_float16")
    try:
        plain = compiled(functional, keras)
        wanted, _ = train(plain_step(plain), plain, [batch_of()])
        model = compiled(functional, keras)
        step = RecomputedStep(model, 0.6)
        found, _ = train(step, model, [batch_of()])
    finally:
        keras.config.set_dtype_policy("float32")
    assert step.way.count > 0
    for one, two in zip(wanted, found, strict=True):
        np.testing.assert_allclose(one, two, rtol=2e-2, atol=2e-3)


def _spread(value, *axes):
    return tf.broadcast_to(tf.reduce_mean(value, axes, keepdims=True), tf.shape(value))


@pytest.mark.parametrize(
    "compute",
    [
        tf.identity,
        lambda x: x * tf.tanh(x)[:, ::-1, :, ::-1],
        lambda x: x * tf.reduce_mean(x, [1, 2, 3])[:, None, None, None],
        lambda x: x * tf.reduce_mean(x, [0, 1], keepdims=True)[:, :, ::-1],
        lambda x: x * tf.reduce_mean(x, [0, 1, 3], keepdims=True)[0, 0],
        lambda x: x + tf.math.reduce_variance(_spread(x, 1), [0, 1, 2]),
        lambda x: x * tf.gather(_spread(x, 1, 2), tf.range(ROWS)) + _spread(x, 3) / 7,
    ],
    ids=[
        "normalized, then pooled",
        "turned",
        "new axes",
        "turned small",
        "an axis less",
        "variance",
        "gathered",
    ],
)
def test_slices_and_copies_that_look_like_nothing(compute):
    """They are as large as what they are made of, and something else."""

    class Own(keras.layers.Layer):
        def call(self, inputs):
            return compute(inputs)

    def build(library):
        layers = library.layers
        given = value = library.Input((16, 16, 3))
        for _ in range(3):
            value = layers.Conv2D(8, 3, padding="same", activation="gelu")(value)
            value = Own()(layers.BatchNormalization()(value))
        value = layers.GlobalAveragePooling2D()(value)
        return library.Model(given, layers.Dense(10, activation="softmax")(value))

    keras.config.set_dtype_policy("float64")
    try:
        images, labels = batch_of()
        batches = [(tf.cast(images, "float64"), labels)] * 2
        plain, model = (compiled(build, keras, ROWS) for _ in range(2))
        wanted, _ = train(plain_step(plain), plain, batches)
        step = RecomputedStep(model, 0.1)
        found, _ = train(step, model, batches)
    finally:
        keras.config.set_dtype_policy("float32")
    assert step.way.count
    for one, two in zip(wanted, found, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-11)


def test_batches_of_other_shapes_are_traced_and_a_small_one_stays_as_it_is():
    assert_same(functional, keras, 0.5, [batch_of(), batch_of(4), batch_of(ROWS - 4)])


def test_constants_are_found_where_the_rows_are_not_known():
    """Normalization keeps mean and variance as constants, which the step captures."""

    def build(_):
        given = keras.Input((16, 16, 3))
        value = keras.layers.Normalization(mean=[0.1, 0.2, 0.3], variance=[1.0, 2.0, 3.0])(given)
        for _ in range(4):
            value = keras.layers.Conv2D(8, 3, padding="same", activation="gelu")(value)
        return keras.Model(given, keras.layers.Dense(10)(keras.layers.Flatten()(value)))

    spec = tf.nest.map_structure(
        lambda one: tf.TensorSpec((None, *one.shape[1:]), one.dtype), batch_of()
    )
    plain, recomputed = compiled(build, keras), compiled(build, keras)
    step = RecomputedStep(recomputed, 0.4, spec)
    step(batch_of())
    assert any("normalization" in node.name for edit in step.way.edits for node in edit.copies)
    plain.train_on_batch(*batch_of())
    for one, two in zip(recomputed.get_weights(), plain.get_weights(), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(("share", "keeps"), [(0.6, False), (0.4, True)])
def test_on_a_gpu_images_are_not_turned_where_much_is_to_be_saved(monkeypatch, share, keeps):
    step = RecomputedStep(compiled(functional, keras), share)
    step.prepare(batch_of())
    assert not step.keeps_images, "a CPU turns nothing"
    monkeypatch.setattr(recomputed, "_find_device", lambda _: "/device:GPU:0")
    step = RecomputedStep(compiled(functional, keras), share)
    step.prepare(batch_of())
    assert step.keeps_images is keeps


@pytest.mark.parametrize("told", [True, False])
def test_a_share_is_of_the_batch_that_it_was_asked_for(told):
    """A killed run may go on with the last batch of an epoch, which is smaller."""
    first = RecomputedStep(compiled(functional, keras), 0.6)
    first.prepare(batch_of())
    of_bytes = first.way.whole_bytes if told else 0
    again = RecomputedStep(compiled(functional, keras), 0.6, of_bytes=of_bytes)
    again.prepare(batch_of(8))
    again.prepare(batch_of())
    assert again.way.count > 0
    ways = [(way.needed_bytes, way.count) for way in (again.way, first.way)]
    assert (ways[0] == ways[1]) is told


def test_steps_are_counted_as_tf_keras_does():
    model = compiled(functional, tf_keras)
    step = RecomputedStep(model, 0.5)
    step(batch_of())
    step(batch_of())
    assert int(model._train_counter) == int(model.optimizer.iterations) == 2


def test_preparing_changes_no_variable():
    model = compiled(functional, keras)
    before = [np.array(value) for value in model.get_weights()]
    RecomputedStep(model, 0.5).prepare(batch_of())
    for one, two in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(one, two)
    assert int(model.optimizer.iterations) == 0


def test_where_nothing_can_be_won_it_says_so():
    model = keras.Sequential([keras.Input((16, 16, 3)), keras.layers.Flatten()])
    model.add(keras.layers.Dense(10, activation="softmax"))
    model.compile("sgd", "sparse_categorical_crossentropy", jit_compile=False)
    with pytest.raises(NothingToRecompute):
        RecomputedStep(model, 0.5).prepare(batch_of())
    assert not Recomputing(model).begin(0.5, batch_of())


def test_what_cannot_be_recomputed_is_said():
    model = compiled(functional, keras)
    assert describe_not_recomputable(model) == ""
    model.compile("sgd", "mse", run_eagerly=True)
    assert "eagerly" in describe_not_recomputable(model)
    model.compile("sgd", "mse", jit_compile=True)
    assert "XLA on a CPU" in describe_not_recomputable(model)


def test_replicas_in_other_processes_are_not_recomputed():
    """Several processes cannot be had inside of a test."""
    elsewhere = type("MultiWorkerMirroredStrategy", (), {"num_replicas_in_sync": 4})()
    model = SimpleNamespace(distribute_strategy=elsewhere)
    assert "MultiWorkerMirroredStrategy with 4 replicas" in describe_not_recomputable(model)


class TestLadder:
    def test_each_try_takes_less_until_no_less_can_be_had(self):
        recomputing = Recomputing(compiled(functional, keras))
        shares = []
        while (share := recomputing.find_smaller_share()) is not None:
            shares.append(share)
            if not recomputing.begin(share, batch_of()):
                break
        assert shares[0] == 0.75
        assert shares == sorted(shares, reverse=True)
        assert 2 <= len(shares) < 8

    def test_a_new_train_function_is_traced_anew(self):
        recomputing = Recomputing(compiled(functional, keras))
        recomputing.renew()
        assert recomputing.step is None
        assert recomputing.begin(0.6, batch_of())
        first = recomputing.step
        recomputing.renew()
        assert recomputing.step is not first
        recomputing.step(batch_of())
        assert recomputing.way.count > 0

    def test_an_error_of_the_changed_step_ends_recomputation_and_says_why(self):
        recomputing = Recomputing(compiled(functional, keras))
        assert recomputing.begin(0.6, batch_of())
        assert recomputing.drop_unproven(ValueError("must be a compile-time constant"))
        assert recomputing.step is None
        assert recomputing.failure == "ValueError: must be a compile-time constant"
        assert recomputing.find_smaller_share() is None

    def test_an_error_after_a_good_step_is_the_users(self):
        recomputing = Recomputing(compiled(functional, keras))
        assert recomputing.begin(0.6, batch_of())
        recomputing.take(batch_of())
        assert not recomputing.drop_unproven(ValueError("wrong labels"))
        assert recomputing.step is not None

    def test_a_model_that_cannot_be_traced_again(self):
        model = compiled(functional, keras)

        def train_step(_):
            raise RuntimeError("only once")

        model.train_step = train_step
        recomputing = Recomputing(model)
        assert not recomputing.begin(0.6, batch_of())
        assert "only once" in recomputing.failure


def test_an_optimizer_that_the_step_does_not_use_is_left_alone():
    class Net(keras.Model):
        """Compiled without its own optimizer, as many a GAN is."""

        def __init__(self):
            super().__init__()
            self.inner = functional(keras)
            self.own = keras.optimizers.SGD(0.05)

        def call(self, inputs, training=None):
            return self.inner(inputs, training=training)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                found = self(x, training=True)
                loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(y, found))
            variables = self.trainable_variables
            self.own.apply(tape.gradient(loss, variables), variables)
            return {"loss": loss}

    model = Net()
    model.compile(jit_compile=False)
    model(np.zeros((1, 16, 16, 3), "float32"))
    step = RecomputedStep(model, 0.5)
    step.prepare(batch_of())
    step(batch_of())
    assert step.way.count
    assert not model.optimizer.built
