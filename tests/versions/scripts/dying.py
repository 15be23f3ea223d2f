"""A callback that kills its own process, once."""

import os
import signal
import time
from pathlib import Path

from library import keras


class DieOnce(keras.callbacks.Callback):
    """SIGKILL in the middle of the second epoch, unless the mark says that it was done.

    The batches before it are slow, so that there is time to write snapshots.
    """

    def __init__(self, mark):
        super().__init__()
        self.mark = str(mark)
        self.epoch = 0

    def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
        self.epoch = epoch

    def on_train_batch_end(self, batch, logs=None):  # noqa: ARG002
        if Path(self.mark).exists():
            return
        time.sleep(0.03)
        if self.epoch == 1 and batch == 8:
            Path(self.mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
