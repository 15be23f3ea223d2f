"""Python values as JSON and arrays, typed, so that they come back as they were.

What JSON knows stays itself; all else is an object with its kind: `{"~": "tuple", "items": […]}`.
Nothing is run to read a value back, and nothing is imported: functions and classes are only looked
up in modules that are loaded.
"""

import base64
import datetime
import decimal
import enum
import fractions
import functools
import math
import sys
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from fitguard.state.dtypes import dtype_of, name_of

Arrays = Mapping[str, np.ndarray] | None
Refer = Callable[[Any], Any]

KIND = "~"
REFERENCE = "@"
"""Kind of what stands for an object that is kept elsewhere."""
MOST_ITEMS = 200_000
"""Of Python objects in one value: more would take long, and are taken for data."""
_DEEPEST = 50
_NAMED = (types.FunctionType, types.BuiltinFunctionType, type, np.ufunc, types.ModuleType)


class NotPlain(Exception):
    """A value that cannot be stored without pickle; the message says of what kind it is."""


def encode(
    value: Any,
    arrays: dict[str, np.ndarray] | None = None,
    name: str = "",
    *,
    most_bytes: float = math.inf,
    refer: Refer | None = None,
) -> Any:
    """The value as JSON. Arrays are copied: to `arrays` under `name`, or into the JSON.

    Args:
        most_bytes: What has more in arrays is taken for data, and not stored.
        refer: Asked for each value that is not plain by itself: what stands for it, or None.

    Raises:
        NotPlain: where some of it cannot be stored; `arrays` is then as before.
    """
    found: dict[str, np.ndarray] | None = None if arrays is None else {}
    stored = _Encoder(found, name, most_bytes, refer).encode(value, 0)
    if arrays is not None:
        arrays.update(found or {})
    return stored


def decode(stored: Any, arrays: Arrays = None, refer: Refer | None = None) -> Any:
    """The value that `encode` was given.

    Args:
        refer: Gives the object for what `refer` of `encode` had given.

    Raises:
        KeyError: where it names an array that is not there, or a kind that is not known.
    """
    if isinstance(stored, list):
        return [decode(item, arrays, refer) for item in stored]
    if not isinstance(stored, dict):
        return stored
    if stored[KIND] == REFERENCE and refer is not None:
        return refer(stored)
    return _DECODERS[stored[KIND]](stored, functools.partial(decode, arrays=arrays, refer=refer))


def name_in_module(thing: Any) -> dict[str, str] | None:
    """How a function, class or module is found again in another process; None where it is not."""
    if isinstance(thing, types.ModuleType):
        found = {"module": thing.__name__, "name": ""}
    else:
        module = "numpy" if isinstance(thing, np.ufunc) else thing.__module__
        name = getattr(thing, "__qualname__", thing.__name__)
        found = {"module": str(module), "name": str(name)}
    try:
        return found if look_up(found) is thing else None
    except KeyError:
        return None


def look_up(named: Mapping[str, str]) -> Any:
    """What `name_in_module` has named.

    Raises:
        KeyError: where it is not there.
    """
    found: Any = sys.modules[named["module"]]
    for part in filter(None, named["name"].split(".")):
        if part not in getattr(found, "__dict__", {}):
            raise KeyError(named["name"])
        found = vars(found)[part]
    return found


class _Encoder:
    def __init__(
        self,
        arrays: dict[str, np.ndarray] | None,
        name: str,
        most_bytes: float,
        refer: Refer | None,
    ) -> None:
        self._arrays = arrays
        self._name = name
        self._count = 0
        self._bytes_left = most_bytes
        self._refer = refer

    def encode(self, value: Any, depth: int) -> Any:
        self._count += 1
        if depth > _DEEPEST or self._count > MOST_ITEMS:
            raise NotPlain("more items than a snapshot should hold")
        kind: type = type(value)
        if value is None or kind in (bool, int, str):
            return value
        if kind is float:
            return value if math.isfinite(value) else {KIND: "float", "value": repr(value)}
        if kind in (tuple, frozenset):
            return {KIND: kind.__name__, "items": self._items(value, depth)}
        if self._refer is not None:
            reference = self._refer(value)
            if reference is not None:
                return reference
        return self._container(value, kind, depth)

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        if kind is list:
            return self._items(value, depth)
        if kind is set:
            return {KIND: "set", "items": self._items(value, depth)}
        if kind is deque:
            return {KIND: "deque", "items": self._items(value, depth), "most": value.maxlen}
        if kind in _MAPPINGS:
            return {KIND: _MAPPINGS[kind], "items": self._pairs(value, depth)}
        if kind is defaultdict and value.default_factory in _FACTORIES:
            factory = _FACTORIES[value.default_factory]
            return {KIND: "default", "items": self._pairs(value, depth), "factory": factory}
        if issubclass(kind, tuple) and hasattr(kind, "_fields"):
            return {KIND: "record", **_class_of(value), "items": self._items(value, depth)}
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
        if is_tensor(value):
            return {**self._array(np.asarray(value.numpy())), KIND: "tensor"}
        if isinstance(value, enum.Enum):
            return {KIND: "member", **_class_of(value), "member": value.name}
        if isinstance(value, _NAMED) and (named := name_in_module(value)) is not None:
            return {KIND: "named", **named}
        if type(value) in _WRITTEN:
            return {KIND: type(value).__name__, "value": _WRITTEN[type(value)][0](value)}
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


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor of TensorFlow that has a value now; a variable is none."""
    tensorflow = sys.modules.get("tensorflow")
    return (
        tensorflow is not None
        and isinstance(value, tensorflow.Tensor)
        and hasattr(value, "numpy")
        and not isinstance(value, tensorflow.Variable)
    )


def _class_of(value: Any) -> dict[str, str]:
    named = name_in_module(type(value))
    if named is None:
        raise NotPlain(f"{type(value).__qualname__}, a class that no module names")
    return named


def make_tensor(array: np.ndarray) -> Any:
    """A tensor of TensorFlow with these values."""
    import tensorflow as tf

    return tf.constant(array)


def _decode_tensor(stored: dict[str, Any], decoded: Any) -> Any:
    return make_tensor(_decode_array(stored, decoded))


def _decode_array(stored: dict[str, Any], decoded: Any) -> np.ndarray:
    if "name" in stored:
        # A copy: who gets it may change it, and the snapshot may be written back once more.
        return np.array((decoded.keywords["arrays"] or {})[stored["name"]])
    raw = base64.b64decode(stored["value"])
    return np.frombuffer(raw, dtype_of(stored["dtype"])).reshape(stored["shape"]).copy()


def _of_items(build: Callable[[list[Any]], Any]) -> Callable[[dict[str, Any], Any], Any]:
    return lambda stored, decoded: build(decoded(stored["items"]))


def _of_value(build: Callable[[Any], Any]) -> Callable[[dict[str, Any], Any], Any]:
    return lambda stored, _: build(stored["value"])


def _decode_default(stored: dict[str, Any], decoded: Any) -> Any:
    factory = next(kind for kind, name in _FACTORIES.items() if name == stored["factory"])
    return defaultdict(factory, decoded(stored["items"]))


def _decode_record(stored: dict[str, Any], decoded: Any) -> Any:
    return tuple.__new__(look_up(stored), decoded(stored["items"]))


def _delta_parts(delta: datetime.timedelta) -> list[int]:
    return [delta.days, delta.seconds, delta.microseconds]


_MAPPINGS: dict[type, str] = {dict: "dict", OrderedDict: "ordered", Counter: "counter"}
_FACTORIES: dict[Any, str | None] = {
    kind: kind.__name__ for kind in (list, dict, set, int, float, str)
} | {None: None}
_WRITTEN: dict[type, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    complex: (
        lambda value: [repr(value.real), repr(value.imag)],
        lambda v: complex(*map(float, v)),
    ),
    datetime.datetime: (datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: (datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: (datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (_delta_parts, lambda parts: datetime.timedelta(*parts)),
    decimal.Decimal: (str, decimal.Decimal),
    fractions.Fraction: (str, fractions.Fraction),
    range: (lambda value: [value.start, value.stop, value.step], lambda parts: range(*parts)),
    slice: (lambda value: [value.start, value.stop, value.step], lambda parts: slice(*parts)),
}
"""How values of a class are written and read; times with zones of their own lose their names."""
_DECODERS: dict[str, Callable[[dict[str, Any], Any], Any]] = {
    "float": _of_value(float),
    "tuple": _of_items(tuple),
    "set": _of_items(set),
    "frozenset": _of_items(frozenset),
    "deque": lambda stored, decoded: deque(decoded(stored["items"]), stored["most"]),
    "dict": _of_items(dict),
    "ordered": _of_items(OrderedDict),
    "counter": lambda stored, decoded: Counter(dict(decoded(stored["items"]))),
    "default": _decode_default,
    "record": _decode_record,
    "scalar": lambda stored, decoded: _decode_array(stored, decoded)[()],
    "array": _decode_array,
    "tensor": _decode_tensor,
    "bytes": _of_value(base64.b64decode),
    "path": _of_value(Path),
    "member": lambda stored, _: look_up(stored)[stored["member"]],
    "named": lambda stored, _: look_up(stored),
    **{kind.__name__: _of_value(read) for kind, (_, read) in _WRITTEN.items()},
}
