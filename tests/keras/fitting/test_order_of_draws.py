"""Callbacks and data that draw from one generator do so in the order of plain Keras."""

import random

import keras
import numpy as np
import pytest
import tf_keras
from guarded.attempts import attempt, events

from fitguard.schema.journal import SnapshotWritten

LIBRARIES = pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])


def rows_of(library):
    base = library.utils.PyDataset if library is keras else library.utils.Sequence

    class Rows(base):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            x = np.random.default_rng(index).normal(size=(4, 2)).astype("float32")
            return x, x[:, :1]

    return Rows()


def trained(library, ready=lambda: None):
    """Losses of a training whose batches `fit` shuffles, with a callback that draws.

    Args:
        ready: Called before the first step of each epoch.
    """

    class Jitter(library.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
            ready()

        def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
            self.model.optimizer.learning_rate = 0.1 * random.random()

    library.utils.set_random_seed(5)
    model = library.Sequential([library.layers.Input((2,)), library.layers.Dense(1)])
    model.compile(library.optimizers.SGD(), "mse")
    history = model.fit(rows_of(library), epochs=4, callbacks=[Jitter()], verbose=0)
    return history.history["loss"], random.random()


@LIBRARIES
def test_a_snapshot_reads_no_batch_before_the_callbacks(library, tmp_path):
    plain = trained(library)
    with attempt(tmp_path, snapshot_seconds=0.0) as fits:
        # A snapshot is due at the beginning of an epoch where none is being written.
        guarded = trained(library, ready=fits.writer.wait)
    assert events(fits, SnapshotWritten)
    assert guarded == plain
