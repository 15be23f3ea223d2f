"""A step that does not fit: taken back, and done again in parts; or given up as it was."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import attempt, events
from guarded.limited import limit, limited
from guarded.limited_fits import BATCH, new_model, train, values

from fitguard.keras.fitting.step import GuardedStep
from fitguard.schema.journal import (
    BATCH_STATISTICS,
    Failed,
    FitBegan,
    MicroBatchChosen,
    Noted,
    NotSplit,
)

ALLOWED = {"allow": (BATCH_STATISTICS,)}


@pytest.fixture(autouse=True)
def _enough_memory():
    yield
    limit().assign(10**6)


def why_whole(fits):
    """What was said of a batch that is not split."""
    return [event.text for event in events(fits, Noted) if event.kind == "micro-batch"]


class Warmup(keras.callbacks.Callback):
    """Sets what the step depends on, after the last moment between steps."""

    def on_train_batch_begin(self, batch, logs=None):
        del logs
        self.model.optimizer.learning_rate = 0.01 * (batch + 1)


def test_the_first_step_is_taken_back_and_done_in_parts(tmp_path):
    plain = new_model()
    expected = train(plain, callbacks=[Warmup()])
    limit().assign(3)
    model = new_model()
    with attempt(tmp_path) as fits:
        history = train(model, callbacks=[Warmup()])
    for one, two in zip(values(model), values(plain), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)
    for name, wanted in expected.history.items():
        np.testing.assert_allclose(history.history[name], wanted, rtol=1e-5)
    chosen = events(fits, MicroBatchChosen)
    assert [(event.rows, event.of) for event in chosen] == [(6, 12), (3, 12)]
    assert events(fits, Failed) == []


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_no_trace_is_left_of_the_steps_that_did_not_fit(library, tmp_path):
    limit().assign(6)
    failing = new_model(batch_statistics=True, library=library)
    with attempt(tmp_path / "fails", **ALLOWED) as fits:
        train(failing)
    limit().assign(10**6)
    ordered = new_model(batch_statistics=True, library=library)
    with attempt(tmp_path / "ordered", micro_batches={"1": 6}, **ALLOWED) as calm:
        train(ordered)
    for one, two in zip(values(failing), values(ordered), strict=True):
        np.testing.assert_array_equal(one, two)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    assert [event.why for event in events(calm, MicroBatchChosen)] == ["it did not fit into memory"]
    said = [event.text for event in events(fits, Noted) if event.kind == "inexact"]
    assert any("batch_normalization" in text for text in said)


def test_with_exact_only_statistics_of_the_batch_are_not_changed(tmp_path):
    limit().assign(6)
    with (
        attempt(tmp_path, exact_only=True, **ALLOWED) as fits,
        pytest.raises(tf.errors.ResourceExhaustedError),
    ):
        train(new_model(batch_statistics=True))
    (said,) = why_whole(fits)
    assert "--exact-only" in said
    assert "batch_normalization" in said
    assert "--allow" not in said
    assert events(fits, MicroBatchChosen) == []
    assert [event.allow for event in events(fits, NotSplit)] == [""]
    (failed,) = events(fits, Failed)
    assert (failed.kind, failed.mode, failed.of) == ("out-of-memory", "graph", BATCH)


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
@pytest.mark.parametrize("orders", [{}, {"micro_batches": {"0": 6}}], ids=["found", "ordered"])
def test_statistics_of_the_batch_change_only_where_it_is_allowed(library, orders, tmp_path):
    limit().assign(6)
    more = {"allow": ("jit-off",), **orders}
    with attempt(tmp_path, **more) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        train(new_model(batch_statistics=True, library=library))
    (said,) = why_whole(fits)
    assert "is not split: BatchNormalization batch_normalization" in said
    assert "Use a smaller batch" in said
    assert "With `--allow batch-statistics` it is split" in said
    assert events(fits, MicroBatchChosen) == []
    (told,) = events(fits, NotSplit)
    assert (told.fit, told.allow) == (1, BATCH_STATISTICS)
    assert told.why in said
    assert [event.kind for event in events(fits, Failed)] == ["out-of-memory"]


def test_what_only_a_trial_finds_is_allowed_or_not_split(tmp_path):
    def spread(_, predicted):
        return tf.math.reduce_std(predicted)

    limit().assign(6)
    refused = new_model()
    refused.compile("adam", spread)
    with attempt(tmp_path / "no") as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        train(refused, epochs=1)
    (said,) = why_whole(fits)
    assert "neither their mean nor their sum" in said
    assert "--allow batch-statistics" in said
    assert events(fits, MicroBatchChosen) == []
    allowed = new_model()
    allowed.compile("adam", spread)
    with attempt(tmp_path / "yes", **ALLOWED) as fits:
        train(allowed, epochs=1)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    assert why_whole(fits) == []
    inexact = [event.text for event in events(fits, Noted) if event.kind == "inexact"]
    assert any("neither their mean nor their sum" in text for text in inexact)


def test_a_train_step_of_the_users_own_is_split_and_announced(tmp_path):
    class Own(keras.Model):
        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = self.compute_loss(x, y, self(x, training=True))
            weights = self.trainable_variables
            self.optimizer.apply(tape.gradient(loss, weights), weights)
            return {"loss": loss}

    limit().assign(6)
    inputs = keras.Input((3,))
    model = Own(inputs, keras.layers.Dense(1)(limited(keras)(inputs)))
    model.compile("sgd", "mse")
    with attempt(tmp_path) as fits:
        train(model, epochs=1)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    inexact = [event.text for event in events(fits, Noted) if event.kind == "inexact"]
    assert any("Own has its own train_step" in text for text in inexact)


def test_other_random_numbers_are_announced(tmp_path):
    limit().assign(6)
    with attempt(tmp_path) as fits:
        train(new_model(library=tf_keras), epochs=1)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    inexact = [event.text for event in events(fits, Noted) if event.kind == "inexact"]
    assert any("draws other random numbers" in text for text in inexact)


def test_layers_that_begin_to_learn_from_the_batch_end_the_splitting(tmp_path):
    class Thaw(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            del logs
            if epoch == 1:
                limit().assign(BATCH)
                self.model.layers[2].trainable = True
                self.model.compile("adam", "mse")
                self.model.make_train_function()

    model = new_model(batch_statistics=True)
    model.layers[2].trainable = False
    model.compile("adam", "mse")
    limit().assign(6)
    with attempt(tmp_path) as fits:
        train(model, callbacks=[Thaw()])
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]
    (said,) = why_whole(fits)
    assert said.startswith("the batch is not split: BatchNormalization")


def test_exact_only_allows_what_is_exact_and_looks_at_losses_too(tmp_path):
    limit().assign(6)
    with attempt(tmp_path / "exact", exact_only=True) as fits:
        train(new_model(), epochs=1)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]

    def spread(_, predicted):
        return tf.math.reduce_std(predicted)

    model = new_model()
    model.compile("adam", spread)
    with (
        attempt(tmp_path / "spread", exact_only=True, micro_batches={"0": 4}) as fits,
        pytest.raises(tf.errors.ResourceExhaustedError),
    ):
        train(model, epochs=1)
    assert events(fits, MicroBatchChosen) == []


class Pair(keras.Model):
    """Two optimizers in a step, as a GAN has them."""

    def __init__(self):
        super().__init__()
        self.one, self.other = (
            keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(1)]) for _ in range(2)
        )
        self.second_optimizer = keras.optimizers.SGD(0.1)
        self.limited = limited(keras)

    def train_step(self, data):
        x, y = data
        with tf.GradientTape(persistent=True) as tape:
            loss = tf.reduce_mean((self.limited(self.one(x))[:, 0] - y) ** 2)
            second = tf.reduce_mean((self.limited(self.other(x))[:, 0] - y) ** 2)
        weights = self.one.trainable_variables
        self.optimizer.apply(tape.gradient(loss, weights), weights)
        weights = self.other.trainable_variables
        self.second_optimizer.apply(tape.gradient(second, weights), weights)
        return {"loss": loss}


def test_a_model_that_cannot_be_split_gets_its_error_unchanged(tmp_path):
    limit().assign(6)
    model = Pair()
    model.compile(keras.optimizers.SGD(0.1))
    ordered = {"micro_batches": {"1": 3}}
    with attempt(tmp_path, **ordered) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        train(model, epochs=1)
    (said,) = why_whole(fits)
    assert said.startswith("the batch is not split: Pair has a train_step of its own")
    assert [event.allow for event in events(fits, NotSplit)] == [""]
    assert events(fits, MicroBatchChosen) == []


def test_where_one_row_does_not_fit_the_error_is_raised(tmp_path):
    limit().assign(0)
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError) as raised:
        train(new_model())
    assert "OOM when allocating tensor" in str(raised.value)
    tried = [(event.rows, event.share) for event in events(fits, MicroBatchChosen)]
    assert tried == [(6, None), (3, None), (1, None), (1, 0.5)]
    (failed,) = events(fits, Failed)
    assert (failed.kind, failed.rows, failed.of, failed.mode) == ("out-of-memory", 1, 12, "graph")
    assert len(events(fits, FitBegan)) == 1


def test_another_error_goes_through(tmp_path):
    model = new_model()

    class Broken(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            raise ValueError(f"{batch}, {logs}")

    with attempt(tmp_path) as fits, pytest.raises(ValueError, match=r"^0, "):
        train(model, callbacks=[Broken()])
    (failed,) = events(fits, Failed)
    assert failed.error.startswith("ValueError: 0, ")
    assert not isinstance(model.train_function, GuardedStep)
