"""`Guard.step`: a step of a loop that does not fit, inside of the test process."""

import contextlib

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import Killed, attempt, events
from guarded.limited import limit, limited

from fitguard.keras import Guard
from fitguard.keras.state.model_state import ModelState
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import Failed, MicroBatchChosen, Noted, NotSplit

STEPS, ROWS = 4, 12
LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
X = np.random.default_rng(2).normal(size=(STEPS, ROWS, 3)).astype("float32")


@pytest.fixture(autouse=True)
def _enough_memory():
    yield
    limit().assign(10**6)


class Loop:
    """Random numbers, statistics, a metric and a counter move before the layer that has no room."""

    def __init__(self, library=keras, *, batch_statistics=False):
        library.utils.set_random_seed(7)
        layers = library.layers
        middle = [layers.BatchNormalization()] if batch_statistics else []
        middle += [layers.Dropout(0.4)] if library is keras else []
        parts = [layers.Dense(4), *middle, limited(library), layers.Dense(1)]
        self.model = library.Sequential([layers.Input((3,)), *parts])
        self.optimizer = library.optimizers.Adam(0.05)
        self.mean = library.metrics.Mean()
        self.unknown = tf.Variable(0.0)
        self.times_traced = 0

    @tf.function
    def step(self, x, name="loss"):
        self.times_traced += 1
        self.unknown.assign_add(tf.reduce_mean(x))
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(x, training=True) - 1.0))
        weights = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        self.mean.update_state(loss)
        return {name: loss}

    def run(self, die_at=None, fits=None):
        guard = Guard(self.model, optimizer=self.optimizer, mean=self.mean)
        step = guard.step(self.step)
        losses = []
        for number in range(guard.start, STEPS):
            if number == die_at:
                raise Killed
            losses.append(float(step(X[number])["loss"]))
            if fits is not None:
                fits.session.heartbeat.wish("snapshot")
            guard.step_done(number)
        guard.finish(STEPS)
        return losses

    def values(self):
        parts = {"model": self.model, "optimizer": self.optimizer, "mean": self.mean}
        return ModelState({**parts, "unknown": self.unknown}).read()


def assert_same(one, other, *, exactly=False):
    for name, value in one.values().items():
        compare = np.testing.assert_array_equal if exactly else np.testing.assert_allclose
        more = {} if exactly else {"rtol": 1e-5, "atol": 1e-6}
        compare(other.values()[name], value, err_msg=name, **more)


def run_plainly(library=keras, **more):
    loop = Loop(library, **more)
    for number in range(STEPS):
        loop.step(X[number])
    return loop


@LIBRARIES
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "alone"])
def test_where_all_fits_the_step_is_ones_own_and_traced_once(library, guarded, tmp_path):
    plain, loop = run_plainly(library), Loop(library)
    with attempt(tmp_path) if guarded else contextlib.nullcontext():
        loop.run()
    assert loop.times_traced <= plain.times_traced
    assert_same(plain, loop, exactly=True)


@LIBRARIES
@pytest.mark.parametrize("guarded", [True, False], ids=["guarded", "alone"])
def test_a_step_that_does_not_fit_is_taken_back_and_split(library, guarded, tmp_path, capfd):
    plain = run_plainly(library)
    limit().assign(3)
    loop = Loop(library)
    with attempt(tmp_path) if guarded else contextlib.nullcontext() as fits:
        losses = loop.run()
    assert_same(plain, loop)
    assert len(losses) == STEPS
    said = capfd.readouterr().err
    assert "out of memory at step 1: the state is rolled back" in said
    assert "the batch of 12 is trained in micro-batches of 3: 6 rows do not fit" in said
    assert "step is a step of your own" in said
    if guarded:
        chosen = events(fits, MicroBatchChosen)
        assert [(event.fit, event.rows, event.of) for event in chosen] == [(1, 6, 12), (1, 3, 12)]
        assert events(fits, Failed) == []


def test_after_a_kill_it_goes_on_as_it_was(tmp_path):
    plain = run_plainly()
    limit().assign(6)
    with attempt(tmp_path) as fits, pytest.raises(Killed):
        Loop().run(die_at=2, fits=fits)
    loop = Loop()
    with attempt(tmp_path, 2) as fits:
        assert len(loop.run()) == STEPS - 2
    # Nobody keeps it, and so it begins anew.
    loop.unknown.assign(plain.unknown)
    assert_same(plain, loop)
    chosen = events(fits, MicroBatchChosen)
    assert [(event.attempt, event.rows) for event in chosen] == [(1, 6), (2, 6)]
    assert chosen[1].why == "as before it started again"


def test_larger_data_later_are_taken_back_too(tmp_path):
    limit().assign(6)
    loop, wanted = Loop(), Loop()
    with attempt(tmp_path) as fits:
        guard = Guard(loop.model, optimizer=loop.optimizer, mean=loop.mean)
        step = guard.step(loop.step)
        step(X[0][:5])
        step(X[1])
        step(X[2][:5], name="other")
    limit().assign(10**6)
    for data in (X[0][:5], X[1], X[2][:5]):
        wanted.step(data)
    assert_same(wanted, loop)
    assert [event.rows for event in events(fits, MicroBatchChosen)] == [6]


def test_statistics_of_the_batch_are_not_changed(tmp_path):
    limit().assign(6)
    loop = Loop(batch_statistics=True)
    before = Loop(batch_statistics=True)
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        loop.run()
    (told,) = events(fits, NotSplit)
    assert "BatchNormalization" in told.why
    (failed,) = events(fits, Failed)
    assert (failed.kind, failed.of, failed.place.fit) == ("out-of-memory", ROWS, 1)
    assert float(loop.unknown) == float(before.unknown)


def test_what_only_a_trial_finds_is_not_split(tmp_path):
    class Twice(Loop):
        @tf.function
        def step(self, x):
            for _ in range(2):
                with tf.GradientTape() as tape:
                    loss = tf.reduce_mean(tf.square(self.model(x) - 1.0))
                weights = self.model.trainable_variables
                gradients = tape.gradient(loss, weights)
                self.optimizer.apply_gradients(zip(gradients, weights, strict=True))
            return {"loss": loss}

    limit().assign(6)
    loop = Twice()
    with attempt(tmp_path) as fits, pytest.raises(tf.errors.ResourceExhaustedError):
        loop.run()
    assert any("applies gradients 2 times" in event.text for event in events(fits, Noted))
    assert events(fits, MicroBatchChosen) == []
    assert int(loop.optimizer.iterations) == 0


def test_parts_that_were_ordered(tmp_path):
    plain, loop = run_plainly(), Loop()
    with attempt(tmp_path, micro_batches={"0": 5}) as fits:
        loop.run()
    assert_same(plain, loop)
    (chosen,) = events(fits, MicroBatchChosen)
    assert (chosen.rows, chosen.why) == (5, "as ordered")


def test_a_later_error_that_cannot_be_taken_back_is_raised_where_nobody_starts_it_again():
    loop = Loop()
    guard = Guard(loop.model, optimizer=loop.optimizer, mean=loop.mean)
    step = guard.step(loop.step)
    step(X[0])
    limit().assign(6)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        step(X[1])


def test_other_errors_are_ones_own(tmp_path):
    class Wrong(Loop):
        @tf.function
        def step(self, x):
            tf.debugging.assert_less(x, -100.0, "too large")

    with attempt(tmp_path), pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        Wrong().run()


def test_what_cannot_be_guarded_is_refused():
    loop = Loop()
    guard = Guard(loop.model, optimizer=loop.optimizer)
    with pytest.raises(UsageError, match=r"Received a function\. Expected a tf\.function"):
        guard.step(lambda x: x)
    with pytest.raises(UsageError, match="Received optimizer=NoneType"):
        Guard(loop.model).step(loop.step)
    with pytest.raises(UsageError, match="Expected a Keras model"):
        Guard(tf.Module(), optimizer=loop.optimizer).step(loop.step)
    step = guard.step(loop.step)
    with pytest.raises(UsageError, match=r"from inside of a tf\.function"):
        tf.function(lambda: step(X[0]))()
