"""Memory for the arrays of a snapshot: that of the one before, once it is on the disk.

To copy into memory that is there takes a fraction of the time: what is new, the kernel has to find
and clear, page by page, and the training stands still for it.
"""

import threading
import weakref
from collections import defaultdict
from typing import Any

import numpy as np

from fitguard.keras.snapshots.content import Content

_Kind = tuple[tuple[int, ...], np.dtype]


class Rooms:
    """Holds the memory of one snapshot at most, and only while somebody wants it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._free: dict[_Kind, list[np.ndarray]] = {}
        self._lent: weakref.WeakValueDictionary[int, np.ndarray] = weakref.WeakValueDictionary()

    def lend(self, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
        """An array to be filled: an old one, or a new one."""
        kind = (shape, np.dtype(dtype))
        with self._lock:
            free = self._free.get(kind)
            array = free.pop() if free else np.empty(*kind)
            self._lent[id(array)] = array
            return array

    def take_back(self, content: Content) -> None:
        """This snapshot is on the disk, or dropped: nobody looks at its arrays any more."""
        free: defaultdict[_Kind, list[np.ndarray]] = defaultdict(list)
        with self._lock:
            for array in content.arrays.values():
                if self._lent.get(id(array)) is array:
                    del self._lent[id(array)]
                    free[array.shape, array.dtype].append(array)
            self._free = dict(free)

    def clear(self) -> None:
        """Nothing trains: what is lent is freed when its snapshot is."""
        with self._lock:
            self._free, self._lent = {}, weakref.WeakValueDictionary()
