"""`Guard`: loops of the user's own go on where they were."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tf_keras
from guarded.attempts import Killed, attempt, events

from fitguard.keras import Guard
from fitguard.keras.state.model_state import ModelState
from fitguard.monitor.flight_record import read_flight_record
from fitguard.monitor.heartbeat import Heartbeat
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.journal import FitBegan, FitEnded, Noted, SnapshotWritten
from fitguard.schema.run import Place

STEPS = 6
LIBRARIES = {
    "keras": (keras, keras.optimizers.Adam),
    "tf_keras": (tf_keras, tf_keras.optimizers.Adam),
    "legacy": (tf_keras, tf_keras.optimizers.legacy.Adam),
}
X = np.random.default_rng(2).normal(size=(STEPS, 4, 3)).astype("float32")


def small_model(library=keras, seed=1):
    library.utils.set_random_seed(seed)
    return library.Sequential(
        [library.layers.Input((3,)), library.layers.Dense(2), library.layers.Dense(1)]
    )


def wish(fits):
    """A snapshot, as the parent does."""
    fits.session.heartbeat.wish("snapshot")


def own_loop(library, adam, fits=None, die_at=None):
    """Gradients by hand, noise from NumPy, an optimizer and a metric beside the model."""
    model = small_model(library)
    optimizer = adam(0.1)
    mean = library.metrics.Mean()
    guard = Guard(model, optimizer=optimizer, mean=mean)
    for step in range(guard.start, STEPS):
        if step == die_at:
            raise Killed
        noisy = X[step] + np.random.normal(size=X[step].shape).astype("float32")
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((model(noisy) - noisy.sum(axis=1, keepdims=True)) ** 2)
        weights = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights, strict=True))
        mean.update_state(loss)
        if fits is not None and step == 2:
            wish(fits)
        guard.step_done(step)
    guard.finish(STEPS)
    return ModelState({"model": model, "optimizer": optimizer, "mean": mean}).read(), guard.start


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_loop_of_gradients_goes_on(library, tmp_path):
    library, adam = LIBRARIES[library]
    with attempt(tmp_path / "calm"):
        expected, _ = own_loop(library, adam)
    with attempt(tmp_path / "run") as fits, pytest.raises(Killed):
        own_loop(library, adam, fits, die_at=5)
    with attempt(tmp_path / "run", 2) as fits:
        values, start = own_loop(library, adam)
    assert start == 3
    assert values.keys() == expected.keys()
    for name, value in values.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
    assert [event.place.step for event in events(fits, FitBegan)] == [0, 3]
    assert {event.library for event in events(fits, FitBegan)} == {"loop"}
    assert [event.place.total_steps for event in events(fits, FitEnded)] == [STEPS]
    # What was finished is not done again.
    with attempt(tmp_path / "run", 3):
        again, start = own_loop(library, adam)
    assert start == STEPS
    for name, value in again.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)


def train_on_batches(fits=None, die_at=None):
    model = small_model()
    model.compile("adam", "mse", metrics=["mae"])
    guard = Guard(model)
    for step in range(guard.start, STEPS):
        if step == die_at:
            raise Killed
        model.train_on_batch(X[step], X[step].sum(axis=1))
        if fits is not None:
            wish(fits)
        guard.step_done(step)
    return model.get_weights(), guard.start


def test_a_compiled_model_with_train_on_batch(tmp_path):
    expected, _ = train_on_batches()
    with attempt(tmp_path) as fits, pytest.raises(Killed):
        train_on_batches(fits, die_at=4)
    with attempt(tmp_path, 2) as fits:
        weights, start = train_on_batches()
    assert start == 4
    for one, two in zip(weights, expected, strict=True):
        np.testing.assert_array_equal(one, two)
    (said,) = events(fits, Noted)
    assert "metrics" in said.text
    assert "weights do not depend on them" in said.text
    beat = Heartbeat(fits.session.folder.heartbeat).read()
    assert beat.place == Place(fit=1, step=STEPS, total_steps=STEPS)


def fits_in_a_loop(fits=None, die_at=None):
    """`fit` inside of a loop, as scripts of reinforcement learning have it."""
    model = small_model()
    model.compile("sgd", "mse")
    guard = Guard(model)
    for step in range(guard.start, STEPS):
        if step == die_at:
            raise Killed
        model.fit(X[step], X[step].sum(axis=1), batch_size=2, shuffle=False, verbose=0)
        if fits is not None and step == 2:
            wish(fits)
        guard.step_done(step)
    return model.get_weights()


def test_a_fit_inside_of_the_loop_keeps_its_number(tmp_path):
    expected = fits_in_a_loop()
    with attempt(tmp_path, snapshot_seconds=1000.0) as fits, pytest.raises(Killed):
        fits_in_a_loop(fits, die_at=4)
    with attempt(tmp_path, 2, snapshot_seconds=1000.0) as fits:
        weights = fits_in_a_loop()
    for one, two in zip(weights, expected, strict=True):
        np.testing.assert_array_equal(one, two)
    again = [event for event in events(fits, FitBegan) if event.attempt == 2]
    # The loop; then step 3, whose end was kept, and the steps after it.
    assert [(event.place.fit, event.restored) for event in again] == [
        (1, False),
        (5, True),
        (6, False),
        (7, False),
    ]


def test_without_a_guarded_run_it_does_nothing(tmp_path):
    guard = Guard(small_model())
    guard.step_done(0)
    guard.finish(1)
    assert guard.start == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", [-1, 1.0, True, "3", None])
def test_what_is_no_step_is_refused(step):
    with pytest.raises(UsageError, match="Expected the number of the step"):
        Guard(small_model()).step_done(step)


def test_variables_that_are_not_there_are_named(tmp_path):
    with attempt(tmp_path) as fits:
        guard = Guard(small_model(), optimizer=keras.optimizers.Adam())
        wish(fits)
        guard.step_done(0)
        assert fits.writer.wait()
    assert len(events(fits, SnapshotWritten)) == 1
    with (
        attempt(tmp_path, 2),
        pytest.raises(UsageError, match=r"without optimizer\..*build the"),
    ):
        Guard(small_model())
    other = keras.Sequential([keras.layers.Input((3,)), keras.layers.Dense(9)])
    with attempt(tmp_path, 2), pytest.raises(UsageError, match=r"has the shape .* Expected what"):
        Guard(other, optimizer=keras.optimizers.Adam())


def test_steps_of_a_loop_are_measured(tmp_path):
    with attempt(tmp_path, 3) as fits:
        guard = Guard(small_model())
        for step in range(5):
            guard.step_done(step)
        guard.finish(5)
        record = read_flight_record(fits.session.folder.flight_records / "child.record")
    assert set(record.get("attempt").last) == {3}
    assert record.get("step_seconds").steps[-1] == 5
    assert record.get("slowest_step_seconds").last[-1] > 0
