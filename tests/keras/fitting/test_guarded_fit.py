"""A guarded `fit` gives what plain `fit` gives, resumed or not."""

import numpy as np
import pytest
import tf_keras
from guarded.attempts import Killed, attempt, events

from fitguard.keras.snapshots.rooms import Rooms
from fitguard.keras.state import tensors
from fitguard.schema.journal import FitBegan, FitEnded, Logged, Noted, SnapshotWritten


def fit(trainee, die_at=0):
    callbacks = trainee.library.callbacks
    return trainee.fit(
        die_at=die_at,
        validation_split=0.1,
        callbacks=[
            callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True),
            callbacks.ReduceLROnPlateau("loss", patience=1, factor=0.5),
        ],
    )


def test_without_a_fault_nothing_differs_from_plain_fit(trainee, tmp_path, assert_same):
    plain, expected = trainee.undisturbed(fit)
    guarded = trainee.model
    train_function = guarded.train_function
    with attempt(tmp_path, snapshot_seconds=0.0) as fits:
        history = fit(trainee)
    assert_same(trainee.values(), plain)
    assert history.history == expected.history
    assert history is guarded.history
    assert guarded.train_function is train_function
    assert [event.place.total_steps for event in events(fits, FitEnded)] == [15]
    assert len(events(fits, SnapshotWritten)) > 1
    assert [event.epoch_end for event in events(fits, Logged)].count(True) == 3
    assert events(fits, Noted) == []


@pytest.mark.parametrize("at", [1, 6, 8])
def test_killed_and_resumed_it_ends_the_same(trainee, tmp_path, assert_same, at):
    plain, expected = trainee.undisturbed(fit)
    with pytest.raises(Killed), attempt(tmp_path):
        fit(trainee, die_at=at)
    trainee.fresh()
    with attempt(tmp_path, 2) as fits:
        history = fit(trainee)
    assert_same(trainee.values(), plain)
    assert history.history == expected.history
    assert events(fits, FitBegan)[-1].place.total_steps == at - 1


def test_memory_of_earlier_snapshots_serves_again_and_nothing_differs(
    keras_trainee, tmp_path, assert_same, monkeypatch
):
    plain, expected = keras_trainee.undisturbed(fit)
    monkeypatch.setattr(tensors, "_LEAST_BYTES", 0)
    lent, lend = [], Rooms.lend

    def note(rooms, *kind):
        lent.append(lend(rooms, *kind))
        return lent[-1]

    monkeypatch.setattr(Rooms, "lend", note)
    with pytest.raises(Killed), attempt(tmp_path, snapshot_seconds=0.0):
        fit(keras_trainee, die_at=9)
    keras_trainee.fresh()
    with attempt(tmp_path, 2) as fits:
        history = fit(keras_trainee)

    assert_same(keras_trainee.values(), plain)
    assert history.history == expected.history
    assert len({id(array) for array in lent}) < len(lent)
    assert events(fits, FitBegan)[-1].place.total_steps == 8


def new_model():
    """Without an input: tf_keras makes all variables in the first step."""
    tf_keras.utils.set_random_seed(4)
    model = tf_keras.Sequential([tf_keras.layers.Dense(4), tf_keras.layers.Dense(1)])
    model.compile("adam", "mse", metrics=["mae"])
    return model


def test_variables_that_the_first_step_makes_are_restored(tmp_path, dying):
    x = np.arange(24.0, dtype="float32").reshape(8, 3)

    def train(die_at=0):
        model = new_model()
        model.fit(x, x[:, 0], batch_size=2, verbose=0, callbacks=[dying(tf_keras, die_at)])
        return [*model.get_weights(), *(np.asarray(one) for one in model.optimizer.variables)]

    plain = train()
    with pytest.raises(Killed), attempt(tmp_path):
        train(die_at=3)
    with attempt(tmp_path, 2) as fits:
        resumed = train()
    assert events(fits, FitBegan)[-1].place.total_steps == 2
    for one, two in zip(resumed, plain, strict=True):
        np.testing.assert_array_equal(one, two)
