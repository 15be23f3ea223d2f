"""A small model that is compiled once and trained many times, each time from the same beginning."""

import os

import keras
import numpy as np
import pytest
import tf_keras
from guarded.attempts import Killed

from fitguard.keras.fitting.wrapping import current_fits
from fitguard.keras.state.model_state import ModelState

ROWS = 22
BATCH = 4
_DIE_AT = "FITGUARD_TEST_DIES_AT"


class Trainee:
    """A model with dropout and batch statistics, whose beginning is known."""

    def __init__(self, library):
        self.library = library
        library.utils.set_random_seed(11)
        layers = library.layers
        self.model = library.Sequential(
            [
                layers.Input((6,)),
                layers.Dense(5, activation="relu"),
                layers.BatchNormalization(),
                layers.Dropout(0.3),
                layers.Dense(3),
            ]
        )
        loss = library.losses.SparseCategoricalCrossentropy(from_logits=True)
        self.model.compile("adam", loss, metrics=["accuracy"])
        rng = np.random.default_rng(3)
        self.x = rng.normal(size=(ROWS, 6)).astype("float32")
        self.y = rng.integers(0, 3, size=ROWS)
        self._build()
        self._beginning = ModelState(self.model).read()
        self._undisturbed = {}

    def _build(self):
        """Make what the first step makes, and trace what is to be traced."""
        self.model.fit(
            self.x, self.y, batch_size=BATCH, verbose=0, validation_data=(self.x[:2], self.y[:2])
        )

    def fresh(self):
        """As a new process finds it."""
        self.library.utils.set_random_seed(11)
        ModelState(self.model).write(self._beginning)
        self.model.stop_training = False
        return self.model

    def fit(self, *, die_at=0, callbacks=(), **more):
        """Train; `die_at` ends it after so many steps."""
        given = {"epochs": 3, "batch_size": BATCH, "verbose": 0, **more}
        if "x" not in given:
            given.update(x=self.x, y=self.y)
        return self.model.fit(callbacks=[*callbacks, dying_callback(self.library, die_at)], **given)

    def undisturbed(self, fit):
        """All values, and what `fit(self)` returned, without fitguard; done once."""
        if fit not in self._undisturbed:
            self.fresh()
            history = fit(self)
            self._undisturbed[fit] = self.values(), history
        self.fresh()
        return self._undisturbed[fit]

    def values(self):
        """Of all variables."""
        return ModelState(self.model).read()


def dying_callback(library, at):
    """A callback that ends a training after so many steps, as a kill would.

    One step before, it wishes for a snapshot as the parent does. The environment says when: what it
    held itself would be brought back.
    """
    os.environ[_DIE_AT] = str(at)

    class Dying(library.callbacks.Callback):
        def __init__(self):
            super().__init__()
            self.batches = 0

        def on_train_batch_end(self, batch, logs=None):
            del batch, logs
            self.batches += 1
            left = int(os.environ[_DIE_AT]) - self.batches
            if left == 0:
                raise Killed
            guarded = current_fits()
            if left == 1 and guarded is not None:
                guarded.session.heartbeat.wish("snapshot")

    return Dying()


@pytest.fixture(scope="session")
def trainee_of_keras():
    return Trainee(keras)


@pytest.fixture(scope="session")
def trainee_of_tf_keras():
    # The Dropout of tf_keras draws inside of a kernel otherwise, whose state cannot be saved.
    tf_keras.backend.experimental.enable_tf_random_generator()
    trainee = Trainee(tf_keras)
    tf_keras.backend.experimental.disable_tf_random_generator()
    return trainee


@pytest.fixture(params=["keras", "tf_keras"])
def trainee(request):
    """Of both libraries."""
    trainee = request.getfixturevalue(f"trainee_of_{request.param}")
    trainee.fresh()
    return trainee


@pytest.fixture
def keras_trainee(trainee_of_keras):
    trainee_of_keras.fresh()
    return trainee_of_keras


@pytest.fixture(scope="session")
def assert_same():
    def check(one, other):
        assert one.keys() == other.keys()
        for name, value in one.items():
            np.testing.assert_array_equal(value, other[name], err_msg=name)

    return check


@pytest.fixture(scope="session")
def dying():
    return dying_callback
