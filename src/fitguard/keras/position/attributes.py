"""The attributes of a `PyDataset` that change in training: index arrays, counters, generators."""

import hashlib
from collections.abc import Iterator
from typing import Any

from fitguard.keras.position.plain import NotPlain, from_data, to_data

MOST_BYTES = 64 * 2**20
"""An array that is larger is not kept in a snapshot."""
_ALL_READ_BYTES = 16 * 2**20
_DEPTH = 3
_FOREIGN = ("builtins", "numpy", "tensorflow", "keras", "tf_keras", "pandas", "threading", "queue")


class Attributes:
    """What changes of an object, as data.

    Objects that it holds are looked into; arrays and random generators are set in place, so that
    others that hold them too see the same.

    Args:
        data: A `PyDataset` or `Sequence`; None where the data have no attributes.
    """

    def __init__(self, data: Any) -> None:
        self._data = data
        self._digests = {path: _digest(owner, name) for path, owner, name in self._leaves()}
        self.too_large: set[str] = set()

    def iterators(self) -> list[str]:
        """Attributes that are iterators: where they stand cannot be kept."""
        return [
            path for path, owner, name in self._leaves() if hasattr(_value(owner, name), "__next__")
        ]

    def changed(self) -> dict[str, Any]:
        """What differs from the start, by path."""
        changes: dict[str, Any] = {}
        for path, owner, name in self._leaves():
            digest = _digest(owner, name)
            if digest == "" or digest == self._digests.get(path):
                continue
            value = _value(owner, name)
            if getattr(value, "nbytes", 0) > MOST_BYTES:
                self.too_large.add(path)
                continue
            changes[path] = to_data(value)
        return changes

    def restore(self, changes: dict[str, Any]) -> None:
        owners = {path: (owner, name) for path, owner, name in self._leaves()}
        for path, data in changes.items():
            # An attribute that appeared later belongs to the object itself.
            owner, name = owners.get(path, (self._data, path))
            if owner is not None:
                _put(owner, name, from_data(data))

    def _leaves(self) -> Iterator[tuple[str, Any, str]]:
        if self._data is not None:
            yield from _leaves(self._data, "", _DEPTH, {id(self._data)})


def _leaves(owner: Any, prefix: str, depth: int, seen: set[int]) -> Iterator[tuple[str, Any, str]]:
    for name, value in list(vars(owner).items()):
        if _is_own(value) and depth and id(value) not in seen:
            yield from _leaves(value, f"{prefix}{name}.", depth - 1, seen | {id(value)})
        else:
            yield f"{prefix}{name}", owner, name


def _is_own(value: Any) -> bool:
    """Whether it is an object of the user's, with attributes to look at."""
    module = type(value).__module__.split(".")[0]
    return module not in _FOREIGN and hasattr(value, "__dict__") and not callable(value)


def _value(owner: Any, name: str) -> Any:
    return vars(owner).get(name)


def _digest(owner: Any, name: str) -> str:
    """Changes with the value; empty for what cannot be kept."""
    import numpy as np

    value = _value(owner, name)
    digest = hashlib.blake2b(digest_size=16)
    if type(value) is np.ndarray and not value.dtype.hasobject:
        digest.update(f"{value.dtype}{value.shape}".encode())
        digest.update(_content(value))
        return digest.hexdigest()
    try:
        digest.update(repr(to_data(value)).encode())
    except NotPlain:
        return ""
    return digest.hexdigest()


def _content(array: Any) -> Any:
    """The values; of a large array only some: to read all in each epoch would cost too much."""
    if array.nbytes <= _ALL_READ_BYTES:
        return array.tobytes()
    stride = max(1, array.size // 65536)
    return (array.reshape(-1)[::stride] if array.flags.c_contiguous else array[::stride]).tobytes()


def _put(owner: Any, name: str, value: Any) -> None:
    old = _value(owner, name)
    if type(old) is not type(value):
        setattr(owner, name, value)
    elif hasattr(value, "bit_generator"):
        old.bit_generator.state = value.bit_generator.state
    elif hasattr(value, "setstate"):
        old.setstate(value.getstate())
    elif hasattr(value, "set_state"):
        old.set_state(value.get_state())
    elif _same_array(old, value):
        old[...] = value
    else:
        setattr(owner, name, value)


def _same_array(old: Any, value: Any) -> bool:
    flags = getattr(old, "flags", None)
    if flags is None or not flags.writeable:
        return False
    return bool(old.shape == value.shape and old.dtype == value.dtype)
