"""A dataset of the kernel's that the training process reads, perhaps more than once.

Each new iterator over a shuffled dataset has the next order. A training that died and begins again
needs the orders that it had: the state of an iterator is kept when it is new, and put into another.
"""

import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from fitguard.contract.datasets.stages import DatasetStage


class Fed:
    """One dataset.

    Args:
        dataset: A `tf.data.Dataset`.
    """

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        stages = DatasetStage(dataset).pipeline()
        self._varies = any(stage.draws or stage.opaque for stage in stages)
        # The state of an iterator behind a full cache holds all of it.
        self._caches = any(stage.name == "cache" for stage in stages)
        self._folder = tempfile.TemporaryDirectory(prefix="fitguard-")
        self._made = 0
        self._last = -1
        self._lock = threading.Lock()

    def iterator(self, number: int) -> Any:
        """The iterator of that number, from its first batch, as often as it is asked for."""
        import tensorflow as tf

        with self._lock, tf.device("CPU:0"):
            if number < self._made:
                return self._again(number)
            if self._made and self._last != self._made - 1:
                self._again(self._made - 1)
            while self._made <= number:
                iterator = iter(self.dataset)
                self._keep(iterator, self._made)
                self._last = self._made
                self._made += 1
            return iterator

    def _again(self, number: int) -> Any:
        """Where orders change with each iterator, from the nearest state before it."""
        kept = [n for n in range(number + 1) if self._state(n).with_suffix(".index").exists()]
        self._last = number
        iterator = iter(self.dataset)
        if kept:
            _checkpoint(iterator).read(str(self._state(kept[-1]))).assert_consumed()
            for _ in range(number - kept[-1]):
                iterator = iter(self.dataset)
        return iterator

    def _keep(self, iterator: Any, number: int) -> None:
        if not self._varies or (self._caches and number > 0):
            return
        try:
            _checkpoint(iterator).write(str(self._state(number)))
        except Exception as error:  # whatever a stage of TensorFlow's has against it
            self._varies = False
            sys.stderr.write(
                "fitguard: the state of this tf.data pipeline cannot be kept "
                f"({type(error).__name__}), so a training that dies and begins again sees another "
                "order. Pass a function that makes the dataset: fitguard.fit(model, make_dataset)."
                "\n"
            )

    def _state(self, number: int) -> Path:
        return Path(self._folder.name, f"iterator-{number}")


def _checkpoint(iterator: Any) -> Any:
    import tensorflow as tf

    return tf.train.Checkpoint(iterator=iterator)
