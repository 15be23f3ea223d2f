"""Whether making a batch of Python data draws random numbers that all batches share.

Keras reads a batch or two of a `PyDataset` before any worker does, to learn their shapes. What
draws then, draws also when several workers read at once: which batch gets which numbers is left to
chance. A generator that is made for one batch, with its number as the seed, is no such source.
"""

import random
import types
from typing import Any

import numpy as np

from fitguard.contract.libraries import is_a
from fitguard.contract.random_sources import state_of
from fitguard.state.code import draws_from_tensorflow
from fitguard.state.graph import TooMuch
from fitguard.state.reach import reach
from fitguard.state.values import encode

_GENERATORS = (random.Random, np.random.RandomState, np.random.Generator)
_OF_GLOBAL_ONES: tuple[Any, ...] = (random.random, np.random.rand)


class SharedDraws:
    """Watches the random generators that the data can reach, while Keras reads its first batches.

    Attributes:
        seen: Whether one of them was drawn from.
    """

    def __init__(self, x: Any) -> None:
        self._is_watched = is_a(x, "PyDataset", "Sequence")
        self._generators = [function.__self__ for function in _OF_GLOBAL_ONES]
        if self._is_watched:
            self._generators += _find_generators(x)
        self.seen = self._is_watched and _draws_from_tensorflow(x)

    def __enter__(self) -> None:
        self._before = self._states() if self._is_watched else []

    def __exit__(self, *_: object) -> None:
        self.seen = self.seen or (self._is_watched and self._states() != self._before)

    def _states(self) -> list[Any]:
        return [encode(state_of(generator)) for generator in self._generators]


def _find_generators(x: Any) -> list[Any]:
    """The generators among what reading a batch can reach."""
    try:
        return [node.thing for node in reach([x]) if isinstance(node.thing, _GENERATORS)]
    except TooMuch:
        return []


def _draws_from_tensorflow(x: Any) -> bool:
    """Told from the code: where TensorFlow draws, Keras' own making of a dataset counts as well."""
    read = getattr(type(x), "__getitem__", None)
    return isinstance(read, types.FunctionType) and draws_from_tensorflow(read)
