"""In the training process: a dataset whose batches the kernel draws."""

import contextlib
import functools
import os
import weakref
from collections.abc import Callable, Iterator
from multiprocessing.connection import Client
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fitguard.contract.datasets.distributed import original_of
from fitguard.contract.datasets.stages import DatasetStage
from fitguard.contract.hooks import Role
from fitguard.contract.libraries import Library
from fitguard.contract.patching import patching
from fitguard.notebook.feed.slots import Slot

if TYPE_CHECKING:
    from fitguard.notebook.parcel.unpacking import Unpacker

_sources: "weakref.WeakKeyDictionary[Any, _Source]" = weakref.WeakKeyDictionary()


def make_dataset(packed: tuple[int, Any, int, dict[str, Any]], unpacking: "Unpacker") -> Any:
    """A dataset with the same element spec and cardinality."""
    import tensorflow as tf

    number, spec, cardinality, named = packed
    assert unpacking.feed is not None
    source = _Source(unpacking.feed, number, spec)
    dataset = tf.data.Dataset.from_generator(source.batches, output_signature=spec)
    _sources[dataset] = source
    if cardinality != tf.data.UNKNOWN_CARDINALITY:
        dataset = dataset.apply(tf.data.experimental.assert_cardinality(cardinality))
    # A batch is copied while the step before it runs.
    dataset = dataset.prefetch(1)
    vars(dataset).update(named)
    return dataset


@contextlib.contextmanager
def numbering_iterators() -> Iterator[None]:
    """Inside, iterators are numbered as they are made: one that nobody reads has a number, too.

    A training that begins again makes as many as there were before the one that it goes on with.
    """

    def counting(original: Callable[..., Any], _: Library) -> Callable[..., Any]:
        @functools.wraps(original)
        def make(dataset: Any) -> Any:
            for source in _read_by(dataset):
                source.made += 1
            return original(dataset)

        return make

    with patching({Role.ITERATOR_MADE: counting}):
        yield


def iterators_made() -> dict[int, int]:
    """How many there are over each dataset of the kernel's, by its number."""
    return {source.number: source.made + source.more for source in _sources.values()}


def _read_by(dataset: Any) -> Iterator["_Source"]:
    found = original_of(dataset).dataset if _sources else None
    for stage in DatasetStage(found).pipeline() if found is not None else ():
        if stage.dataset in _sources:
            yield _sources[stage.dataset]


class _Source:
    """Where one dataset comes from.

    Attributes:
        number: Of the dataset.
        made: Iterators over it, so far.
        more: Times that one of them read it once more.
    """

    def __init__(self, address: Path, number: int, spec: Any) -> None:
        self._address = address
        self.number = number
        self._spec = spec
        self.made = 0
        self._made_before = 0
        self.more = 0

    def batches(self) -> Iterator[Any]:
        """Those of the iterator that was made last."""
        slots: dict[str, Slot] = {}
        with Client(str(self._address), "AF_UNIX") as connection:
            connection.send((os.getpid(), self.number, self._next()))
            while True:
                try:
                    what, *more = connection.recv()
                except (EOFError, OSError) as error:
                    raise RuntimeError("The kernel that draws the batches has gone.") from error
                if what == "end":
                    return
                if what == "error":
                    raise RuntimeError(f"The tf.data pipeline in the notebook failed: {more[0]}")
                path, size, places = more
                flat = slots.setdefault(path, Slot(Path(path))).read(size, places)
                connection.send_bytes(b"read")
                yield self._element(flat)

    def _element(self, flat: list[Any]) -> Any:
        import tensorflow as tf

        if any(not isinstance(spec, tf.TensorSpec) for spec in tf.nest.flatten(self._spec)):
            # Ragged and sparse tensors are made of tensors.
            with tf.device("CPU:0"):
                flat = [tf.convert_to_tensor(part) for part in flat]
        return tf.nest.pack_sequence_as(self._spec, flat, expand_composites=True)

    def _next(self) -> int:
        """The number of an iterator that begins to be read."""
        if self.made == self._made_before:
            # A `repeat` behind this dataset reads it once more.
            self.more += 1
        self._made_before = self.made
        return self.made - 1 + self.more
