"""Fit calls that an earlier attempt had finished, and snapshots that do not fit."""

import contextlib
import time

import keras
import numpy as np
import pytest
import tf_keras
from guarded.attempts import Killed, attempt, events

from fitguard.keras.fitting import recording
from fitguard.keras.fitting.step import GuardedStep
from fitguard.keras.refused import Refused
from fitguard.schema.journal import FitBegan, Noted, SnapshotWritten


def test_callbacks_files_and_history_are_those_of_the_end(trainee, tmp_path, assert_same):
    callbacks = trainee.library.callbacks

    def both(folder, die_at=0):
        trainee.fresh()
        logger = callbacks.CSVLogger(str(folder / "log.csv"))
        stopping = callbacks.EarlyStopping("loss", patience=1, min_delta=10.0)
        first = trainee.fit(callbacks=[logger, stopping])
        written = (folder / "log.csv").read_text()
        second = trainee.fit(epochs=2, die_at=die_at)
        return first, stopping, written, second

    plain = tmp_path / "plain"
    plain.mkdir()
    first, stopping, written, second = both(plain)
    assert stopping.stopped_epoch == 1
    end = trainee.values()
    run = tmp_path / "run"
    with attempt(run, snapshot_seconds=0.0), pytest.raises(Killed):
        both(tmp_path, die_at=4)
    before = (tmp_path / "log.csv").stat().st_mtime_ns
    with attempt(run, 2, snapshot_seconds=0.0) as fits:
        again = both(tmp_path)
    assert (again[0].history, again[0].epoch) == (first.history, first.epoch)
    assert (again[1].stopped_epoch, again[1].best) == (1, stopping.best)
    assert again[2] == written
    assert (tmp_path / "log.csv").stat().st_mtime_ns == before
    assert again[3].history == second.history
    assert again[3] is trainee.model.history
    assert_same(trainee.values(), end)
    restored = [event.restored for event in events(fits, FitBegan)]
    assert restored == [False, False, True, False]


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_a_model_that_is_not_built_gets_all_its_variables_back(library, tmp_path):
    x = np.random.default_rng(4).normal(size=(12, 3)).astype("float32")

    def both():
        library.utils.set_random_seed(8)
        model = library.Sequential([library.layers.Dense(2), library.layers.Dense(1)])
        model.compile("adam", "mse", metrics=["mae"])
        first = model.fit(x, x[:, 0], batch_size=4, epochs=2, verbose=0)
        assert not isinstance(model.train_function, GuardedStep)
        second = model.fit(x, x[:, 1], batch_size=4, verbose=0)
        return model.get_weights(), first.history, second.history

    expected = both()
    with attempt(tmp_path, snapshot_seconds=0.0):
        both()
    # Now both have ended.
    with attempt(tmp_path, 2, snapshot_seconds=0.0) as fits:
        weights, *histories = both()
    assert histories == list(expected[1:])
    for one, two in zip(weights, expected[0], strict=True):
        np.testing.assert_array_equal(one, two)
    assert [event.restored for event in events(fits, FitBegan)] == [False, False, True, True]


def test_the_end_of_a_short_fit_is_not_written_but_trained_again(keras_trainee, tmp_path):
    for number in (1, 2):
        keras_trainee.fresh()
        with attempt(tmp_path, number) as fits:
            # Before it, one was taken that cost much more than these steps.
            fits.pacing.note_taken(time.monotonic(), 10.0)
            keras_trainee.fit(epochs=1)
    assert events(fits, SnapshotWritten) == []
    assert [event.restored for event in events(fits, FitBegan)] == [False, False]


def fit_some(units, *, built=True, epochs=1, rows=1.0, **wishes):
    keras.utils.set_random_seed(3)
    layers = [keras.layers.Dense(units), keras.layers.Dense(1)]
    model = keras.Sequential([keras.layers.Input((3,)), *layers] if built else layers)
    model.compile("sgd", "mse")
    x = np.full((12, 3), rows, "float32")
    model.fit(x, x[:, 0], batch_size=4, epochs=epochs, verbose=0, **wishes)
    return model


def train_in_turns():
    """Two models with a large frozen layer each, trained alternately."""
    keras.utils.set_random_seed(3)
    models = []
    for units in (3000, 3001):
        frozen = keras.layers.Dense(units, trainable=False)
        models.append(keras.Sequential([keras.layers.Input((30,)), frozen, keras.layers.Dense(1)]))
        models[-1].compile("adam", "mse")
    x = np.random.default_rng(4).normal(size=(12, 30)).astype("float32")
    told = []
    for number in range(5):
        model = models[number % 2]
        told.append(model.fit(x, x[:, 0], batch_size=4, verbose=0).history)
        told.append(float(model.get_weights()[2].sum()))
    return told, [weight for model in models for weight in model.get_weights()]


@pytest.mark.parametrize(
    ("disk_bytes", "ends"),
    [pytest.param(None, [5], marks=pytest.mark.soak), (1_100_000, range(1, 5))],
)
def test_fits_in_a_loop_take_little_disk_and_come_back(disk_bytes, ends, tmp_path):
    """A frozen layer has 360,000 bytes, all of a snapshot 430,000: five would have 2,150,000."""
    told, weights = train_in_turns()
    with attempt(tmp_path, snapshot_seconds=0.0, disk_bytes=disk_bytes):
        train_in_turns()
    used = sum(path.stat().st_size for path in tmp_path.glob("snapshots/*"))
    assert used <= (disk_bytes or 1_350_000)
    with attempt(tmp_path, 2, snapshot_seconds=0.0, disk_bytes=disk_bytes) as fits:
        again = train_in_turns()
    assert again[0] == told
    for one, two in zip(again[1], weights, strict=True):
        np.testing.assert_array_equal(one, two)
    second = [event.restored for event in events(fits, FitBegan) if event.attempt == 2]
    assert sum(second) in ends


class DiesInSecondStep(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, **_):
        if batch == 1:
            raise Killed


@pytest.mark.parametrize(("built", "ended"), [(True, True), (False, True), (False, False)])
def test_another_model_is_trained_from_its_beginning(built, ended, tmp_path):
    expected = fit_some(5).get_weights()
    if ended:
        with attempt(tmp_path, snapshot_seconds=0.0):
            fit_some(4)
    else:
        with attempt(tmp_path) as fits:
            fits.session.heartbeat.wish("snapshot")
            with pytest.raises(Killed):
                fit_some(4, callbacks=[DiesInSecondStep()])
    with attempt(tmp_path, 2, snapshot_seconds=0.0) as fits:
        model = fit_some(5, built=built)
    for one, two in zip(model.get_weights(), expected, strict=True):
        np.testing.assert_array_equal(one, two)
    texts = [event.text for event in events(fits, Noted)]
    assert any("does not fit this training" in text for text in texts)
    began = events(fits, FitBegan)[-1]
    assert (began.place.total_steps, began.restored) == (0, False)
    # What is written from now on counts.
    with attempt(tmp_path, 3) as fits:
        fit_some(5)
    assert events(fits, FitBegan)[-1].restored
    # The script that trained first finds what it had.
    with attempt(tmp_path, 4) as fits:
        fit_some(4, built=built)
    assert events(fits, FitBegan)[-1].restored is ended
    assert fits.sources.attempts == [1, 4]


@pytest.mark.parametrize("exact_only", [False, True])
def test_other_data_after_a_restart_end_a_run_that_must_be_exact(exact_only, tmp_path):
    with attempt(tmp_path) as fits:
        fits.session.heartbeat.wish("snapshot")
        with pytest.raises(Killed):
            fit_some(4, callbacks=[DiesInSecondStep()])
    refusal = pytest.raises(Refused, match="--exact-only was given, and ")
    with (
        attempt(tmp_path, 2, exact_only=exact_only) as fits,
        refusal if exact_only else contextlib.nullcontext(),
    ):
        fit_some(4, rows=2.0)
    assert "come in another order" in events(fits, Noted)[-1].text


class KeepsTensors(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.kept = []

    def on_train_batch_end(self, batch, **_):
        self.kept.append(keras.ops.zeros(1000) + batch)


def test_who_holds_more_and_more_tensors_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(recording, "_MUCH_BYTES", 4000)
    with attempt(tmp_path, snapshot_seconds=0.0) as fits:
        fit_some(4, epochs=3, callbacks=[KeepsTensors()])
    said = [event.text for event in events(fits, Noted) if "tensor" in event.text]
    assert said[0].startswith("KeepsTensors.kept holds 1 tensor, 3.9 KiB in all.")
    assert 2 <= len(said) <= 3


def test_a_snapshot_that_is_torn_is_named_and_not_used(keras_trainee, tmp_path):
    with attempt(tmp_path, snapshot_seconds=0.0):
        keras_trainee.fit(epochs=1)
    (end,) = (tmp_path / "snapshots").glob("*.snapshot")
    end.write_bytes(end.read_bytes()[:-9])
    with attempt(tmp_path, 2) as fits:
        keras_trainee.fit(epochs=1)
    assert end.name in events(fits, Noted)[0].text
    assert not events(fits, FitBegan)[-1].restored


@pytest.mark.soak
def test_a_backup_of_the_users_own_stands_beside_ours(keras_trainee, tmp_path, assert_same):
    def fit(folder, die_at=0, epochs=3):
        keras_trainee.fresh()
        backup = keras.callbacks.BackupAndRestore(str(folder))
        return keras_trainee.fit(callbacks=[backup], die_at=die_at, epochs=epochs)

    expected = fit(tmp_path / "plain").history
    plain = keras_trainee.values()
    with attempt(tmp_path / "run"), pytest.raises(Killed):
        fit(tmp_path / "ours", die_at=9)
    with attempt(tmp_path / "run", 2) as fits:
        history = fit(tmp_path / "ours")
    assert history.history == expected
    assert_same(keras_trainee.values(), plain)
    assert events(fits, FitBegan)[-1].place.total_steps == 8

    # A backup that was there before the run: Keras begins where it ends, and so do we.
    with pytest.raises(Killed):
        fit(tmp_path / "older", die_at=9)
    with attempt(tmp_path / "later"), pytest.raises(Killed):
        fit(tmp_path / "older", die_at=9)
    with attempt(tmp_path / "later", 2) as fits:
        fit(tmp_path / "older")
    first, second = (event.place for event in events(fits, FitBegan))
    assert (first.epoch, first.total_steps) == (1, 0)
    assert (second.epoch, second.step, second.total_steps) == (2, 2, 8)


def test_an_array_that_a_callback_wrote_to_is_that_of_the_end(keras_trainee, tmp_path):
    class Reweight(keras.callbacks.Callback):
        def __init__(self, weights):
            super().__init__()
            self.weights = weights

        def on_epoch_end(self, epoch, *_):
            self.weights[:] = np.arange(len(self.weights)) + epoch

    def both(die_at=0):
        keras_trainee.fresh()
        weights = np.ones(len(keras_trainee.x), "float32")
        keras_trainee.fit(callbacks=[Reweight(weights)], sample_weight=weights)
        found = weights.copy()
        return found, keras_trainee.fit(sample_weight=weights, die_at=die_at).history

    expected, history = both()
    with attempt(tmp_path, snapshot_seconds=0.0), pytest.raises(Killed):
        both(die_at=1)
    with attempt(tmp_path, 2) as fits:
        found, again = both()
    assert [one.restored for one in events(fits, FitBegan) if one.attempt == 2] == [True, False]
    assert found.tolist() == expected.tolist()
    assert again == history
