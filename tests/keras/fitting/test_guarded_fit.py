"""A guarded `fit` gives what plain `fit` gives, resumed or not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest
import tf_keras

from fitguard.schema.journal import FitBegan, FitEnded, Logged, Noted, SnapshotWritten
from guarded.attempts import Killed, attempt, events

STEPS = 8
LIBRARIES = {"keras": keras, "tf_keras": tf_keras}


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Iterator[Any]:
    # The Dropout of tf_keras draws inside of a kernel otherwise, whose state cannot be saved.
    tf_keras.backend.experimental.enable_tf_random_generator()
    yield LIBRARIES[request.param]
    tf_keras.backend.experimental.disable_tf_random_generator()


def _data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(4 * STEPS - 2, 6)).astype("float32")
    return x, rng.integers(0, 3, size=len(x))


def _model(library: Any) -> Any:
    library.utils.set_random_seed(11)
    layers = library.layers
    model = library.Sequential(
        [
            layers.Dense(8, activation="relu"),
            layers.BatchNormalization(),
            layers.Dropout(0.3),
            layers.Dense(3),
        ]
    )
    loss = library.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    return model


def _dying(library: Any, at: int) -> Any:
    class Dying(library.callbacks.Callback):  # type: ignore[name-defined, misc]
        batches = 0

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:  # noqa: ARG002
            self.batches += 1
            if self.batches == at:
                raise Killed

    return Dying()


def _fit(model: Any, library: Any, die_at: int = 0) -> Any:
    x, y = _data()
    callbacks = [
        library.callbacks.EarlyStopping("val_loss", patience=2, restore_best_weights=True),
        library.callbacks.ReduceLROnPlateau("loss", patience=1, factor=0.5),
        _dying(library, die_at),
    ]
    return model.fit(
        x, y, batch_size=4, epochs=3, verbose=0, validation_split=0.1, callbacks=callbacks
    )


def _all_weights(model: Any) -> list[np.ndarray]:
    return [np.asarray(value) for value in (*model.weights, *model.optimizer.variables)]


def _assert_same(model: Any, other: Any) -> None:
    for one, two in zip(_all_weights(model), _all_weights(other), strict=True):
        np.testing.assert_array_equal(one, two)


def test_without_a_fault_nothing_differs_from_plain_fit(library: Any, tmp_path: Path) -> None:
    plain = _model(library)
    expected = _fit(plain, library)
    guarded = _model(library)
    with attempt(tmp_path / "run", snapshot_seconds=0.0) as fits:
        history = _fit(guarded, library)
    _assert_same(guarded, plain)
    assert history.history == expected.history
    assert history is guarded.history
    assert [event.place.total_steps for event in events(fits, FitEnded)] == [21]
    assert len(events(fits, SnapshotWritten)) > 5
    assert [event.epoch_end for event in events(fits, Logged)].count(True) == 3


@pytest.mark.parametrize("at", [1, 6, 7, 10])
def test_killed_and_resumed_it_ends_the_same(library: Any, tmp_path: Path, at: int) -> None:
    plain = _model(library)
    expected = _fit(plain, library)
    with pytest.raises(Killed), attempt(tmp_path / "run", snapshot_seconds=0.0):
        _fit(_model(library), library, die_at=at)
    resumed = _model(library)
    with attempt(tmp_path / "run", 2, snapshot_seconds=0.0) as fits:
        history = _fit(resumed, library)
    _assert_same(resumed, plain)
    assert history.history == expected.history
    began = events(fits, FitBegan)[-1]
    assert began.place.total_steps in range(min(at - 1, 1), at)


def test_a_finished_fit_is_not_trained_again(library: Any, tmp_path: Path) -> None:
    plain = _model(library)
    _fit(plain, library)
    expected = _fit(plain, library)
    with pytest.raises(Killed), attempt(tmp_path / "run", snapshot_seconds=0.0):
        model = _model(library)
        _fit(model, library)
        _fit(model, library, die_at=5)
    again = _model(library)
    with attempt(tmp_path / "run", 2, snapshot_seconds=0.0) as fits:
        _fit(again, library)
        history = _fit(again, library)
    _assert_same(again, plain)
    assert history.history == expected.history
    assert [event.restored for event in events(fits, FitBegan)] == [False, False, True, False]


def test_draws_that_cannot_be_saved_are_named(tmp_path: Path) -> None:
    with attempt(tmp_path / "run") as fits:
        _fit(_model(tf_keras), tf_keras)
    said = [event.text for event in events(fits, Noted) if event.kind == "inexact"]
    assert any("enable_tf_random_generator" in text and "RandomUniform" in text for text in said)
