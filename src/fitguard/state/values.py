"""Python values as JSON and arrays, typed, so that they come back as they were.

What JSON knows stays itself; all else is an object with its kind: `{"~": "tuple", "items": […]}`.
No class is ever named and looked up: only the kinds below come back.
"""

import base64
import math
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from fitguard.state.dtypes import dtype_of, name_of

Arrays = Mapping[str, np.ndarray] | None

KIND = "~"
MOST_ITEMS = 200_000
"""Of Python objects in one value: more would take long, and are taken for data."""
_DEEPEST = 50


class NotPlain(Exception):
    """A value that cannot be stored without pickle; the message says of what kind it is."""


def encode(
    value: Any,
    arrays: dict[str, np.ndarray] | None = None,
    name: str = "",
    *,
    most_bytes: float = math.inf,
) -> Any:
    """The value as JSON. Arrays are copied: to `arrays` under `name`, or into the JSON.

    Args:
        most_bytes: What has more in arrays is taken for data, and not stored.

    Raises:
        NotPlain: where some of it cannot be stored; `arrays` is then as before.
    """
    found: dict[str, np.ndarray] | None = None if arrays is None else {}
    stored = _Encoder(found, name, most_bytes).encode(value, 0)
    if arrays is not None:
        arrays.update(found or {})
    return stored


def decode(stored: Any, arrays: Arrays = None) -> Any:
    """The value that `encode` was given.

    Raises:
        KeyError: where it names an array that is not there, or a kind that is not known.
    """
    if isinstance(stored, list):
        return [decode(item, arrays) for item in stored]
    if not isinstance(stored, dict):
        return stored
    return _DECODERS[stored[KIND]](stored, arrays)


class _Encoder:
    def __init__(self, arrays: dict[str, np.ndarray] | None, name: str, most_bytes: float) -> None:
        self._arrays = arrays
        self._name = name
        self._count = 0
        self._bytes_left = most_bytes

    def encode(self, value: Any, depth: int) -> Any:
        self._count += 1
        if depth > _DEEPEST or self._count > MOST_ITEMS:
            raise NotPlain("more items than a snapshot should hold")
        kind: type = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
        if kind is list:
            return self._items(value, depth)
        if kind in _SEQUENCES:
            return {KIND: _SEQUENCES[kind], "items": self._items(value, depth)}
        if kind is deque:
            return {KIND: "deque", "items": self._items(value, depth), "most": value.maxlen}
        if kind in _MAPPINGS:
            return {KIND: _MAPPINGS[kind], "items": self._pairs(value, depth)}
        if kind is defaultdict and value.default_factory in _FACTORIES:
            factory = _FACTORIES[value.default_factory]
            return {KIND: "default", "items": self._pairs(value, depth), "factory": factory}
        return self._leaf(value)

    def _items(self, values: Any, depth: int) -> list[Any]:
        return [self.encode(item, depth + 1) for item in values]

    def _pairs(self, mapping: Any, depth: int) -> list[Any]:
        return [[self.encode(part, depth + 1) for part in pair] for pair in mapping.items()]

    def _leaf(self, value: Any) -> Any:
        if isinstance(value, np.generic):
            return {**self._array(np.asarray(value)), KIND: "scalar"}
        if type(value) is np.ndarray:
            return self._array(value)
        if isinstance(value, bytes):
            return {KIND: "bytes", "value": base64.b64encode(value).decode()}
        if _is_tensor(value):
            return {**self._array(np.asarray(value.numpy())), KIND: "tensor"}
        if isinstance(value, complex):
            return {KIND: "complex", "value": [repr(value.real), repr(value.imag)]}
        if isinstance(value, PurePath):
            return {KIND: "path", "value": str(value)}
        raise NotPlain(f"{type(value).__module__}.{type(value).__qualname__}")

    def _array(self, array: np.ndarray) -> dict[str, Any]:
        self._bytes_left -= array.nbytes
        if self._bytes_left < 0:
            raise NotPlain("so much that it is taken for data that stay the same")
        try:
            dtype = name_of(array.dtype)
        except TypeError as error:
            raise NotPlain(f"an array of dtype {array.dtype}") from error
        if self._arrays is None:
            raw = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
            return {KIND: "array", "dtype": dtype, "shape": list(array.shape), "value": raw}
        name = f"{self._name}#{len(self._arrays) + 1}"
        self._arrays[name] = np.array(array)
        return {KIND: "array", "name": name}


def _is_tensor(value: Any) -> bool:
    """Whether it is a tensor of TensorFlow that has a value now; a variable is none."""
    tensorflow = sys.modules.get("tensorflow")
    return (
        tensorflow is not None
        and isinstance(value, tensorflow.Tensor)
        and hasattr(value, "numpy")
        and not isinstance(value, tensorflow.Variable)
    )


def _decoded_tensor(stored: dict[str, Any], arrays: Arrays) -> Any:
    import tensorflow as tf

    return tf.constant(_decoded_array(stored, arrays))


def _decoded_array(stored: dict[str, Any], arrays: Arrays) -> np.ndarray:
    if "name" in stored:
        # A copy: who gets it may change it, and the snapshot may be written back once more.
        return np.array((arrays or {})[stored["name"]])
    raw = base64.b64decode(stored["value"])
    return np.frombuffer(raw, dtype_of(stored["dtype"])).reshape(stored["shape"]).copy()


def _of_items(build: Callable[[list[Any]], Any]) -> Callable[[dict[str, Any], Any], Any]:
    return lambda stored, arrays: build(decode(stored["items"], arrays))


def _decoded_default(stored: dict[str, Any], arrays: Arrays) -> Any:
    factory = next(kind for kind, name in _FACTORIES.items() if name == stored["factory"])
    return defaultdict(factory, decode(stored["items"], arrays))


_SEQUENCES: dict[type, str] = {tuple: "tuple", set: "set", frozenset: "frozenset"}
_MAPPINGS: dict[type, str] = {dict: "dict", OrderedDict: "ordered", Counter: "counter"}
_FACTORIES: dict[Any, str | None] = {
    kind: kind.__name__ for kind in (list, dict, set, int, float, str)
} | {None: None}
_DECODERS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "float": lambda stored, _: float(stored["value"]),
    "tuple": _of_items(tuple),
    "set": _of_items(set),
    "frozenset": _of_items(frozenset),
    "deque": lambda stored, arrays: deque(decode(stored["items"], arrays), stored["most"]),
    "dict": _of_items(dict),
    "ordered": _of_items(OrderedDict),
    "counter": lambda stored, arrays: Counter(dict(decode(stored["items"], arrays))),
    "default": _decoded_default,
    "scalar": lambda stored, arrays: _decoded_array(stored, arrays)[()],
    "array": _decoded_array,
    "tensor": _decoded_tensor,
    "bytes": lambda stored, _: base64.b64decode(stored["value"]),
    "complex": lambda stored, _: complex(*map(float, stored["value"])),
    "path": lambda stored, _: Path(stored["value"]),
}
