"""What Keras reads the batches of a `fit` from, asked the same way in Keras 2 and Keras 3.

Keras 3:  with epoch_iterator.catch_stop_iteration():
              for begin, end, iterator in epoch_iterator:
                  logs = self.train_function(iterator)
Keras 2:  for epoch, iterator in handler.enumerate_epochs():
              with handler.catch_stop_iteration():
                  for step in handler.steps():
                      logs = self.train_function(iterator)
"""

import sys
import weakref
from typing import Any, ClassVar

from fitguard.contract.libraries import Library

_KINDS = {
    "ArrayDataAdapter": "arrays",
    "TensorLikeDataAdapter": "arrays",
    "GenericArrayLikeDataAdapter": "arrays",
    "GeneratorDataAdapter": "generator",
    "PyDatasetAdapter": "python",
    "KerasSequenceAdapter": "python",
    "TorchDataLoaderAdapter": "torch",
    "GrainDatasetAdapter": "grain",
}
LOADERS = {"torch": "_dataloader", "grain": "_dataset"}
"""Other libraries, by their package: where an adapter holds the user's object."""


class EpochData:
    """Common to both.

    Args:
        keras: Keras' own object: an epoch iterator of Keras 3, or a data handler of Keras 2.
    """

    generation: ClassVar[int]
    _ADAPTER: ClassVar[str]
    _READ: ClassVar[tuple[str, ...]]

    def __init__(self, keras: Any) -> None:
        # It holds what was made for it: data that are no longer needed are freed as in plain `fit`.
        self.keras: Any = weakref.proxy(keras)

    @property
    def missing(self) -> list[str]:
        """Attributes that are read here and that Keras' object does not have."""
        return [name for name in (self._ADAPTER, *self._READ) if not hasattr(self.keras, name)]

    @property
    def adapter(self) -> Any:
        """Keras' adapter for what `fit` was given."""
        return getattr(self.keras, self._ADAPTER)

    @property
    def ends_epochs_in_workers(self) -> bool:
        """Whether the thread that reads Python data, and not `fit`, calls their `on_epoch_end`."""
        module = sys.modules.get(type(self.adapter).__module__)
        enqueuer = getattr(getattr(module, "data_utils", module), "OrderedEnqueuer", None)
        code = getattr(getattr(enqueuer, "_run", None), "__code__", None)
        return code is not None and "on_epoch_end" in code.co_names

    @property
    def kind(self) -> str:
        """`arrays`, `generator`, `python` (a PyDataset or Sequence), `torch`, `grain`, or empty."""
        return _KINDS.get(type(self.adapter).__name__, "")

    @property
    def loader(self) -> Any:
        """The user's `DataLoader` of torch, or dataset of Grain; None for others."""
        return getattr(self.adapter, LOADERS.get(self.kind, ""), None)


class Keras3Data(EpochData):
    """A `TFEpochIterator`."""

    generation = 3
    _ADAPTER = "data_adapter"
    _READ = ("_distributed_dataset", "_num_batches", "steps_per_execution")

    @property
    def dataset(self) -> Any:
        """What iterators are made of."""
        return self.keras._distributed_dataset

    @property
    def python_data(self) -> Any:
        """The user's PyDataset, or what Keras made one of."""
        return getattr(self.adapter, "py_dataset", None)

    @property
    def shuffles(self) -> bool:
        """Whether Keras orders rows, or batches of Python data, at random."""
        return bool(getattr(self.adapter, "shuffle", getattr(self.adapter, "_shuffle", False)))

    def workers(self, _: dict[str, Any]) -> bool:
        """Whether several workers read Python data at once."""
        data = self.python_data
        return data is not None and bool(data.workers > 1 or data.use_multiprocessing)

    @property
    def batch_size(self) -> int | None:
        return getattr(self.adapter, "batch_size", None)

    @property
    def steps_per_epoch(self) -> int | None:
        """None where the data do not tell."""
        steps: int | None = self.keras.num_batches
        return steps

    @property
    def size(self) -> int | None:
        """Batches of one iterator; None where unknown."""
        size: int | None = self.adapter.num_batches
        return size

    @property
    def learned(self) -> int | None:
        """Batches of an epoch, as far as Keras has learned."""
        batches: int | None = self.keras._num_batches
        return batches

    @learned.setter
    def learned(self, batches: int | None) -> None:
        self.keras._num_batches = batches

    @property
    def steps_at_once(self) -> int:
        """Steps of one call of the train function."""
        return int(self.keras.steps_per_execution)

    def begin_anew(self) -> None:
        """Have Keras make a new iterator."""
        self.keras._current_iterator = None


class Keras2Data(EpochData):
    """A `DataHandler`."""

    generation = 2
    _ADAPTER = "_adapter"
    _READ = ("_dataset", "_initial_epoch", "_inferred_steps", "step_increment")

    @property
    def dataset(self) -> Any:
        return self.keras._dataset

    @property
    def python_data(self) -> Any:
        return getattr(self.adapter, "_keras_sequence", None)

    @property
    def shuffles(self) -> bool:
        name = "_shuffle_sequence" if self.kind == "python" else "_shuffle"
        return bool(getattr(self.adapter, name, False))

    def workers(self, given: dict[str, Any]) -> bool:
        """As `fit` was told."""
        return given.get("workers", 1) > 1 or bool(given.get("use_multiprocessing"))

    @property
    def batch_size(self) -> int | None:
        size: int | None = self.adapter.representative_batch_size()
        return size

    @property
    def steps_per_epoch(self) -> int | None:
        steps: int | None = self.keras.inferred_steps
        return steps

    @property
    def size(self) -> int | None:
        """Keras 2 itself takes fewer steps at the end of the data."""
        return None

    @property
    def learned(self) -> int | None:
        steps: int | None = self.keras._inferred_steps
        return steps

    @learned.setter
    def learned(self, batches: int | None) -> None:
        if self.keras._inferred_steps is None:
            self.keras._inferred_steps = batches

    @property
    def steps_at_once(self) -> int:
        return int(self.keras.step_increment) + 1

    @property
    def first_epoch(self) -> int:
        """The epoch that Keras begins with."""
        return int(self.keras._initial_epoch)

    @first_epoch.setter
    def first_epoch(self, epoch: int) -> None:
        self.keras._initial_epoch = epoch

    @property
    def drops_an_iterator(self) -> bool:
        """Keras makes one at first that it does not read, if each epoch has its own."""
        return bool(self.adapter.should_recreate_iterator())


def epoch_data(keras: Any, library: Library) -> Keras3Data | Keras2Data:
    """Keras' object, as one that answers the same questions."""
    return Keras3Data(keras) if library.generation == 3 else Keras2Data(keras)


def rows_to_slice(adapter: Any) -> int | None:
    """Rows of the arrays of an adapter of Keras 2; None where whole batches are shuffled."""
    return None if adapter._shuffle == "batch" else int(adapter._size)


def shuffles_values(library: Library, shuffle: Any) -> bool:
    """Whether Keras shuffles the values of each batch, and not the numbers of rows."""
    if shuffle != "batch":
        return False
    if library.generation == 2:
        return True
    adapters = library.module("src.trainers.data_adapters.array_data_adapter")
    code = adapters.ArrayDataAdapter.get_tf_dataset.__code__
    return "shuffle_batch" in (*code.co_varnames, *code.co_cellvars)
