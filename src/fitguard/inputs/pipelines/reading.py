"""Reads a dataset without a trace: training after it gives what it gives without it, bit for bit.

    reading = open_dataset(dataset)       # a tf.data.Dataset, or a distributed one
    reading.pipeline                      # its stages
    reading.unread                        # why it cannot be read; empty where it can
    with contextlib.closing(reading.batches()) as batches:
        for element in batches: ...       # nested NumPy arrays; stop whenever you like

What iterating a dataset moves, as found by trying on TensorFlow 2.21 on a CPU, with and without
`tf.random.set_seed` (`tests/inputs/pipelines/test_transparency.py` tries it again):

- `shuffle(reshuffle_each_iteration=True)`: each iterator takes the next seeds from a generator that
  belongs to the dataset. So one more iteration changes the order of every epoch that follows.
  With `reshuffle_each_iteration=False` nothing moves.
- `cache()`: filled by the first full iteration; random numbers in front of it are frozen then.
  `cache(filename)` and `snapshot` write files.
- `Dataset.random(rerandomize_each_iteration=True)`, and `sample_from_datasets` with it: likewise.
- Variables that a function has captured: `tf.random.Generator`, the seed generators of Keras layers
  such as RandomFlip, any variable that is assigned to.
- Python code: global and own random generators, counters, iterators that can be read only once.
- A dataset that a function has captured (`flat_map(lambda _: other)`): it has a state of its own.
- Making `shuffle` or `random` anew without a seed, after `tf.random.set_seed`: it takes a seed from
  TensorFlow's counter, so all operations made later get other seeds.

What does not move: `tf.random.uniform` and other random operations in a function, seeded or not
(their kernels belong to the iterator); shuffles and caches that a function itself makes (made anew
at each call); `cardinality()`; creating an iterator over map, batch and the like.
"""

import contextlib
import dataclasses
import itertools
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from fitguard.contract.datasets.captured_variables import read_variable
from fitguard.contract.datasets.distributed import original_of
from fitguard.contract.datasets.iterators import end_iterator
from fitguard.contract.datasets.stages import DatasetStage
from fitguard.contract.random_sources import Restore
from fitguard.contract.random_state import keeping_random_state
from fitguard.inputs.pipelines.describing import describe
from fitguard.inputs.pipelines.passes import one_pass, repeats
from fitguard.inputs.pipelines.twins import Twin, Unreadable
from fitguard.schema.pipeline import Pipeline
from fitguard.state.keep import (
    Unkeepable,
    check_python_state,
    keeping_python_state,
)

_END = object()


@dataclasses.dataclass(frozen=True)
class Reading:
    """A dataset that is open for reading.

    Args:
        pipeline: Its stages, as the user made them.
        unread: Why it cannot be read, in one sentence; empty where it can.
        elements: How many elements `batches` gives; None where that is not known beforehand.
        endless: Whether the user's dataset never ends; None where TensorFlow does not know.
        replicas: Over how many replicas a strategy splits each element; 1 where none does.
    """

    pipeline: Pipeline
    unread: str = ""
    elements: int | None = None
    endless: bool | None = None
    replicas: int = 1
    _twin: Twin | None = None
    _variant: Any = None
    _element_spec: Any = None

    def batches(self) -> Generator[Any, None, None]:
        """The elements of one pass, in the order of the source, as nested NumPy arrays.

        Where `endless` is true and `elements` is None, there is no pass (a counter, random
        numbers): then elements come for ever. A generator of the user may do the same unseen.

        Ragged and sparse tensors, and datasets inside of elements, stay what they are. Errors that
        the pipeline raises come through. State is put back when the last element was read, or when
        the generator is closed: close it.

        Raises:
            Unreadable: where the dataset cannot be read, or shows on the way that it cannot.
        """
        if self._twin is None:
            raise Unreadable(self.unread)
        with _keeping_all(self._twin):
            iterator = _iterator(self._variant, self._element_spec)
            try:
                for _ in itertools.count() if self.elements is None else range(self.elements):
                    element = next(iterator, _END)
                    if element is _END:
                        return
                    yield _as_numpy(element)
            finally:
                # Ends threads and Python generators before state is put back, even where the
                # traceback of an error still holds the iterator.
                end_iterator(iterator)


def open_dataset(dataset: Any) -> Reading:
    """Look into a `tf.data.Dataset` or a distributed one, and make ready to read it."""
    import tensorflow as tf

    found = original_of(dataset)
    if found.dataset is None:
        return Reading(Pipeline(()), unread=found.unread, replicas=found.replicas)
    if not tf.executing_eagerly():
        return Reading(Pipeline(()), unread="TensorFlow does not execute eagerly here.")
    dataset = found.dataset
    last = DatasetStage(dataset)
    reading = Reading(
        describe(dataset),
        endless=None if last.elements is None else last.elements == -1,
        replicas=found.replicas,
        _element_spec=dataset.element_spec,
    )
    try:
        with keeping_random_state():
            return _open_twin(reading, last)
    except Unreadable as reason:
        return dataclasses.replace(reading, unread=str(reason))
    except Exception as error:  # private parts, in whatever TensorFlow this is
        told = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        return dataclasses.replace(reading, unread=f"It could not be looked into ({told:.120}).")


def _open_twin(reading: Reading, last: DatasetStage) -> Reading:
    import tensorflow as tf

    elements = one_pass(last)
    twin = Twin(once=elements is None and repeats(last))
    with tf.device("/cpu:0"):
        variant = twin.variant(last)
    try:
        check_python_state(twin.python)
    except Unkeepable as reason:
        raise Unreadable(str(reason)) from None
    return dataclasses.replace(reading, elements=elements, _twin=twin, _variant=variant)


@contextlib.contextmanager
def _keeping_all(twin: Twin) -> Iterator[None]:
    variables = {id(handle): handle for handle in twin.variables}
    with contextlib.ExitStack() as stack:
        for handle in variables.values():
            stack.callback(_restore_of(handle))
        try:
            with keeping_python_state(twin.python), keeping_random_state():
                yield
        except Unkeepable as reason:
            raise Unreadable(str(reason)) from None


def _restore_of(handle: Any) -> Restore:
    """A call that gives a variable the value that it has now."""
    import tensorflow as tf

    value = read_variable(handle)
    return lambda: tf.raw_ops.AssignVariableOp(resource=handle, value=value)


def _iterator(variant: Any, element_spec: Any) -> Any:
    """An iterator that runs no further ahead than it must."""
    import tensorflow as tf

    options = tf.data.Options()
    options.deterministic = True
    options.autotune.enabled = False
    options.experimental_optimization.apply_default_optimizations = False
    options.experimental_optimization.inject_prefetch = False
    with tf.device("/cpu:0"):
        dataset = tf.data.experimental.from_variant(variant, structure=element_spec)
        return iter(dataset.with_options(options))


def _as_numpy(element: Any) -> Any:
    # Plain tuples and dicts are what elements are made of: `tf.nest` takes its time for them.
    if type(element) is tuple:
        return tuple(map(_as_numpy, element))
    if type(element) is dict:
        return {key: _as_numpy(item) for key, item in element.items()}
    import tensorflow as tf

    if isinstance(element, tf.Tensor):
        return element if element.dtype == tf.variant else np.asarray(element)
    return tf.nest.map_structure(_as_numpy, element) if tf.nest.is_nested(element) else element
