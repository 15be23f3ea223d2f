"""Optimizers that average the weights: Keras overwrites the weights with them when `fit` ends."""

import keras
import numpy as np
import pytest
import tf_keras
from guarded.attempts import Killed, attempt, events

from fitguard.schema.journal import FitBegan

X = np.random.default_rng(4).normal(size=(12, 3)).astype("float32")


@pytest.mark.parametrize("built", [True, False], ids=["built", "not built"])
@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_a_finished_fit_is_restored_in_a_process_that_took_no_step(library, built, tmp_path):
    class Dies(library.callbacks.Callback):
        def on_train_batch_begin(self, batch, logs=None):
            del logs
            if batch == 1:
                raise Killed

    def both(*callbacks):
        library.utils.set_random_seed(8)
        layers = [library.layers.Input((3,))] if built else []
        model = library.Sequential([*layers, library.layers.Dense(2), library.layers.Dense(1)])
        model.compile(library.optimizers.Adam(use_ema=True, ema_momentum=0.9), "mse")
        first = model.fit(X, X[:, 0], batch_size=4, epochs=2, verbose=0)
        averaged = model.get_weights()
        second = model.fit(X, X[:, 1], batch_size=4, verbose=0, callbacks=callbacks)
        return averaged + model.get_weights(), first.history, second.history

    expected = both()
    with attempt(tmp_path, snapshot_seconds=0.0), pytest.raises(Killed):
        both(Dies())
    with attempt(tmp_path, 2, snapshot_seconds=0.0) as fits:
        weights, *histories = both()
    assert histories == list(expected[1:])
    for one, two in zip(weights, expected[0], strict=True):
        np.testing.assert_array_equal(one, two)
    assert [event.restored for event in events(fits, FitBegan)] == [False, False, True, False]
