"""Values that cannot change: each is written as the name of its maker and its parts."""

import base64
import datetime
import decimal
import enum
import fractions
import functools
import logging
import math
import operator
import pathlib
import re
from collections.abc import Callable, Iterable
from types import EllipsisType, MethodType
from typing import Any

import numpy as np

from fitguard.notebook.parcel.nodes import Made
from fitguard.notebook.parcel.sides import NotMine, Packed, Packing, Unpacking

_EXACT = 2**53
"""Integers up to here are the same for every reader of JSON."""

_Parts = Callable[[Any], Iterable[Any]]

_MAKERS: dict[str, tuple[type, _Parts, Callable[..., Any]]] = {
    "int": (int, lambda value: [str(value)], int),
    "float": (float, lambda value: [value.hex()], float.fromhex),
    "complex": (complex, lambda value: [value.real, value.imag], complex),
    "bytes": (bytes, lambda value: [base64.b64encode(value).decode()], base64.b64decode),
    "tuple": (tuple, list, lambda *parts: parts),
    "frozenset": (frozenset, list, lambda *parts: frozenset(parts)),
    "slice": (slice, lambda value: [value.start, value.stop, value.step], slice),
    "range": (range, lambda value: [value.start, value.stop, value.step], range),
    "ellipsis": (EllipsisType, lambda _: [], lambda: ...),
    "pattern": (re.Pattern, lambda value: [value.pattern, value.flags], re.compile),
    "partial": (
        functools.partial,
        lambda value: [value.func, value.args, value.keywords],
        lambda function, args, keywords: functools.partial(function, *args, **keywords),
    ),
    "method": (MethodType, lambda value: [value.__self__, value.__name__], getattr),
    "itemgetter": (operator.itemgetter, lambda value: value.__reduce__()[1], operator.itemgetter),
    "decimal": (decimal.Decimal, lambda value: [str(value)], decimal.Decimal),
    "fraction": (
        fractions.Fraction,
        lambda value: [value.numerator, value.denominator],
        fractions.Fraction,
    ),
    "datetime": (
        datetime.datetime,
        lambda value: [value.isoformat()],
        datetime.datetime.fromisoformat,
    ),
    "date": (datetime.date, lambda value: [value.isoformat()], datetime.date.fromisoformat),
    "timedelta": (
        datetime.timedelta,
        lambda value: [value.days, value.seconds, value.microseconds],
        datetime.timedelta,
    ),
    # From here on of any class below the one that is named.
    "path": (pathlib.PurePath, lambda value: [str(value)], pathlib.Path),
    "dtype": (np.dtype, lambda value: [np.empty(0, value)], lambda array: array.dtype),
    "logger": (logging.Logger, lambda value: [value.name], logging.getLogger),
    "enum": (enum.Enum, lambda value: [type(value), value.name], getattr),
}
_EXACT_TYPES = {cls: name for name, (cls, _, _) in _MAKERS.items()}
_FAMILIES = ("path", "dtype", "logger", "enum")
_NAMED_TUPLE = "named-tuple"


def pack_plain(value: Any, packing: Packing, where: str) -> Packed:
    """A value that cannot change."""
    if value is None or isinstance(value, bool) or type(value) is str:
        return value
    if type(value) is int and abs(value) <= _EXACT:
        return value
    if type(value) is float and math.isfinite(value):
        return value
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _made(_NAMED_TUPLE, [type(value), *value], packing, where)
    name = _EXACT_TYPES.get(type(value)) or _family(value)
    return NotMine if name is None else _made(name, _MAKERS[name][1](value), packing, where)


def make_plain(node: Made, unpacking: Unpacking) -> Any:
    """The value again."""
    parts = [unpacking.value(part) for part in node.parts]
    if node.of == _NAMED_TUPLE:
        cls, *items = parts
        return cls._make(items)
    return _MAKERS[node.of][2](*parts)


def _family(value: Any) -> str | None:
    return next((name for name in _FAMILIES if isinstance(value, _MAKERS[name][0])), None)


def _made(name: str, parts: Iterable[Any], packing: Packing, where: str) -> Made:
    return Made(name, [packing.node(part, f"{where}[{index}]") for index, part in enumerate(parts)])
