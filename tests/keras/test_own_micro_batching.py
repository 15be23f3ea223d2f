"""`fitguard.keras.micro_batch`: a step of a loop of one's own in parts."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras

import fitguard.keras
from fitguard.keras.state.model_state import ModelState
from fitguard.schema.exit_codes import UsageError

LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
X = np.random.default_rng(0).normal(size=(10, 6)).astype("float32")
Y = np.random.default_rng(1).integers(0, 3, 10)


class Loop:
    """A model, an optimizer, metrics, and a step that uses them."""

    def __init__(self, library, *middle, optimizer=None, reduce=tf.reduce_mean, change=None):
        library.utils.set_random_seed(1)
        layers = library.layers
        dense = layers.Dense(8, activation="relu", kernel_regularizer="l2")
        self.model = library.Sequential([layers.Input((6,)), dense, *middle, layers.Dense(3)])
        self.optimizer = optimizer or library.optimizers.Adam(0.01)
        self.optimizer.build(self.model.trainable_variables)
        self.mean = library.metrics.Mean()
        self.accuracy = library.metrics.SparseCategoricalAccuracy()
        self.counter = tf.Variable(0)
        self.reduce, self.change = reduce, change or (lambda gradients: gradients)
        self.losses = library.losses

    def loss(self, y, predicted):
        losses = self.losses.sparse_categorical_crossentropy(y, predicted, from_logits=True)
        return self.reduce(losses)

    @tf.function
    def step(self, x, y, training=True):
        with tf.GradientTape() as tape:
            predicted = self.model(x, training=training)
            loss = self.loss(y, predicted)
            if self.reduce is tf.reduce_mean:
                loss += tf.add_n(self.model.losses)
            if loss > 1e9:  # for autograph
                loss = tf.zeros_like(loss)
        weights = self.model.trainable_variables
        gradients = self.change(tape.gradient(loss, weights))
        self.optimizer.apply_gradients(zip(gradients, weights, strict=True))
        self.mean.update_state(loss)
        self.accuracy.update_state(y, predicted)
        self.counter.assign_add(1)
        return {
            "loss": loss,
            "accuracy": (self.accuracy.result(), self.mean.result()),
            "predicted": predicted,
            "of a class": tf.reduce_sum(tf.cast(y == 1, tf.int32)),
            "nothing": None,
        }

    def parts(self, rows=4, **more):
        return fitguard.keras.micro_batch(
            self.step, rows, model=self.model, optimizer=self.optimizer, **more
        )

    def values(self):
        return ModelState(vars(self)).read()


def take_both(make, **named):
    """What three steps return and leave: whole, and in parts."""
    whole, parted = make(), make()
    step = parted.parts()
    for _ in range(3):
        wanted, found = whole.step(X, Y, **named), step(X, Y, **named)
    tf.nest.assert_same_structure(wanted, found)
    for one, two in zip(tf.nest.flatten(wanted), tf.nest.flatten(found), strict=True):
        assert (one is None) == (two is None)
        if one is not None:
            np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
    for name, value in whole.values().items():
        np.testing.assert_allclose(parted.values()[name], value, rtol=1e-5, atol=1e-6, err_msg=name)
    return parted


@LIBRARIES
@pytest.mark.parametrize("reduce", [tf.reduce_mean, tf.reduce_sum], ids=["mean", "sum"])
def test_parts_are_the_whole_step(library, reduce):
    loop = take_both(lambda: Loop(library, reduce=reduce), training=True)
    assert int(loop.counter) == 3
    assert int(loop.optimizer.iterations) == 3
    assert float(loop.accuracy.count) == 30
    assert float(loop.mean.count) == pytest.approx(3)


def test_dropout_draws_for_each_row_what_it_would_have_drawn():
    take_both(lambda: Loop(keras, keras.layers.Dropout(0.3, seed=5)))


def test_mixed_precision():
    def make():
        inner = keras.optimizers.SGD(0.01)
        return Loop(keras, optimizer=keras.optimizers.LossScaleOptimizer(inner, 8.0))

    take_both(make)


def test_a_loss_of_embeddings_and_a_plain_function():
    def make():
        keras.utils.set_random_seed(3)
        model = keras.Sequential(
            [keras.layers.Input((5,)), keras.layers.Embedding(20, 4), keras.layers.Flatten()]
        )
        optimizer = keras.optimizers.Adagrad(0.1)
        optimizer.build(model.trainable_variables)

        def step(words):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(words) - 1.0))
            optimizer.apply(tape.gradient(loss, model.trainable_variables))

        return model, optimizer, step

    words = np.random.default_rng(4).integers(0, 20, (9, 5))
    whole, _, step = make()
    assert step(words) is None
    model, optimizer, step = make()
    step = fitguard.keras.micro_batch(step, 2, model=model, optimizer=optimizer)
    assert step(words) is None
    np.testing.assert_allclose(model.get_weights()[0], whole.get_weights()[0], rtol=1e-5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda found: tf.clip_by_global_norm(found, 1e9)[0], "clips gradients"),
        (lambda found: [one / tf.norm(one) for one in found], "neither the mean nor the sum"),
    ],
)
@LIBRARIES
def test_gradients_that_the_step_changes_by_their_size_are_refused(library, change, message):
    loop = Loop(library, change=change)
    before = loop.values()
    with pytest.raises(UsageError, match=message):
        loop.parts()(X, Y)
    for name, value in loop.values().items():
        np.testing.assert_array_equal(value, before[name], err_msg=name)
    with pytest.warns(UserWarning, match=message):
        loop.parts(exact=False)(X, Y)
    assert int(loop.optimizer.iterations) == 1


@LIBRARIES
def test_layers_that_see_the_batch_are_refused(library):
    loop = Loop(library, library.layers.BatchNormalization())
    with pytest.raises(UsageError, match=r"BatchNormalization .* Use a smaller batch, or exact"):
        loop.parts()(X, Y)


def test_a_layer_of_ones_own_that_sees_the_batch_is_found():
    class Centered(keras.layers.Layer):
        def call(self, inputs):
            return inputs - tf.reduce_mean(inputs, axis=0)

    loop = Loop(keras, Centered())
    with pytest.raises(UsageError, match="neither the mean nor the sum"):
        loop.parts()(X, Y)


def test_other_draws_of_keras_2_are_refused():
    loop = Loop(tf_keras, tf_keras.layers.Dropout(0.3))
    with pytest.raises(UsageError, match="draws other random numbers"):
        loop.parts()(X, Y)
    with pytest.warns(UserWarning, match="mean over rows"):
        loop.parts(exact=False)(X, Y)


class Twice(Loop):
    @tf.function
    def step(self, x, y):
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = self.loss(y, self.model(x))
            weights = self.model.trainable_variables
            self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))


class ByAnother(Loop):
    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x))
        other.apply(tape.gradient(loss, self.model.trainable_variables))


class Sometimes(Loop):
    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        if tf.math.is_finite(loss):
            self.optimizer.apply(gradients, self.model.trainable_variables)


class ReadsLater(Loop):
    @tf.function
    def step(self, x, y):
        with tf.GradientTape() as tape:
            loss = self.loss(y, self.model(x))
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        return tf.reduce_sum(weights[0])


other = keras.optimizers.SGD()


@pytest.mark.parametrize(
    ("loop", "message"),
    [
        (Twice, "Received: step that applies gradients 2 times"),
        (ByAnother, "an optimizer, SGD, that is not the one"),
        (Sometimes, "in a condition"),
        (ReadsLater, "reads weights after it has applied"),
    ],
)
def test_what_is_not_one_application_at_the_end_is_refused(loop, message):
    made = loop(keras)
    with pytest.raises(UsageError, match=message):
        made.parts()(X, Y)
    assert int(made.optimizer.iterations) == 0


def test_a_number_that_is_neither_mean_nor_sum_is_told():
    class Norm(Loop):
        @tf.function
        def step(self, x, y):
            with tf.GradientTape() as tape:
                loss = self.loss(y, self.model(x))
            gradients = tape.gradient(loss, self.model.trainable_variables)
            self.optimizer.apply(gradients, self.model.trainable_variables)
            return tf.linalg.global_norm(gradients)

    loop = Norm(keras)
    with pytest.warns(UserWarning, match="neither the mean of what its rows give nor their sum"):
        assert float(loop.parts()(X, Y)) > 0


def test_weights_that_the_given_model_does_not_have_are_named():
    loop, other = Loop(keras), Loop(keras)
    parts = fitguard.keras.micro_batch(loop.step, 4, model=other.model, optimizer=loop.optimizer)
    with pytest.raises(UsageError, match="which is not among the trainable weights of the model"):
        parts(X, Y)


def test_numbers_of_numpy_are_numbers():
    loop = Loop(keras)
    assert loop.parts(np.int64(4), share=np.float32(0.5))(X, Y)["loss"] > 0


def test_parts_are_recomputed():
    def wide():
        keras.utils.set_random_seed(1)  # the layers are made before the loop seeds
        return Loop(keras, *(keras.layers.Dense(1000, "gelu") for _ in range(3)))

    x = np.tile(X, (20, 1))
    y = np.tile(Y, 20)
    plain, parted = wide(), wide()
    recomputed = parted.parts(100, share=0.5)
    wanted, found = plain.parts(100)(x, y), recomputed(x, y)
    np.testing.assert_allclose(found["loss"], wanted["loss"], rtol=1e-6)
    for one, two in zip(plain.model.get_weights(), parted.model.get_weights(), strict=True):
        np.testing.assert_allclose(two, one, rtol=1e-4, atol=1e-6)
    (step,) = recomputed._steps.values()
    assert step.way.count > 0
    assert len(repr(step.way)) < 80


def test_what_is_no_step_is_refused():
    loop = Loop(keras)
    step, optimizer = loop.step, loop.optimizer
    for rows in (0, 1.5, True, None):
        with pytest.raises(UsageError, match="Expected a whole number, 1 or more"):
            loop.parts(rows)
    with pytest.raises(UsageError, match="Expected a function of tensors"):
        fitguard.keras.micro_batch(loop.model, 4, model=loop.model, optimizer=optimizer)
    with pytest.raises(UsageError, match=r"Received model=Loop\. Expected a Keras model"):
        fitguard.keras.micro_batch(step, 4, model=loop, optimizer=optimizer)
    with pytest.raises(UsageError, match="Received optimizer=NoneType"):
        fitguard.keras.micro_batch(step, 4, model=loop.model, optimizer=None)
    with pytest.raises(UsageError, match=r"have \[9, 10\] rows"):
        loop.parts()(X, Y[:9])
    with pytest.raises(UsageError, match="no tensor among the arguments"):
        loop.parts()(1, 2)
    with pytest.raises(UsageError, match="a batch of 0 rows"):
        loop.parts()(X[:0], Y[:0])
    with pytest.raises(UsageError, match=r"Received share=2\. Expected a number between 0 and 1"):
        loop.parts(share=2)
    with pytest.raises(UsageError, match=r"Expected the step itself: .*share=\.\.\."):
        fitguard.keras.recompute(loop.parts())
    with pytest.raises(UsageError, match=r"from inside of a tf\.function"):
        tf.function(lambda: loop.parts()(X, Y))()
