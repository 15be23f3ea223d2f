"""`keras.utils.PyDataset`: batches by number, read from a twin that takes all changes of state."""

import copy
import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from fitguard.inputs.scan.visits import spread

SHARED_BYTES = 16 * 2**20
SHARED_ITEMS = 10_000
"""From this size on, arrays and lists are not copied for the twin."""


class Twin(NamedTuple):
    """A PyDataset to read.

    Args:
        whole: Whether nothing small in it is shared with the original.
    """

    dataset: Any
    whole: bool


def twin(dataset: Any) -> Twin:
    """A copy that shares the large arrays only, so that reading leaves the original as it was.

    What cannot be copied (an open file, a lock) makes it a shallow copy: attributes that
    `__getitem__` sets are still its own.
    """
    memo = {id(item): item for item in _large(vars(dataset), depth=3)}
    try:
        return Twin(copy.deepcopy(dataset, memo), whole=True)
    except Exception:  # whatever an attribute raises when it is copied
        return Twin(copy.copy(dataset), whole=False)


def number_of_batches(dataset: Any) -> int | None:
    """How many batches an epoch has; None where it never ends."""
    if hasattr(dataset, "num_batches"):
        number = dataset.num_batches
        return None if number is None else int(number)
    return len(dataset)


class BatchFailed(Exception):
    """The batch of this number raised; its cause tells what."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def batches(dataset: Any, number: int | None) -> Iterator[tuple[int, Any]]:
    """Batches with their numbers: the first, the last, then evenly spread ones, until all came."""
    for index in itertools.count() if number is None else spread(number):
        try:
            batch = dataset[index]
        except Exception as error:  # whatever the user's code raises
            raise BatchFailed(index) from error
        yield index, batch


def _large(value: Any, depth: int) -> Iterator[Any]:
    """Arrays, tensors and long lists inside of attributes."""
    if isinstance(value, np.ndarray):
        if value.nbytes >= SHARED_BYTES or isinstance(value, np.memmap):
            yield value
    elif _shared(value):
        yield value
    elif depth and isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _large(item, depth - 1)


def _shared(value: Any) -> bool:
    if type(value).__module__.split(".")[0] in ("tensorflow", "keras", "tf_keras", "pandas"):
        return True
    return isinstance(value, list | tuple | dict | set) and len(value) >= SHARED_ITEMS
