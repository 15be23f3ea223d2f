"""Which part of an object cannot go over: pickle itself only says of what type it is."""

import contextlib
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from fitguard.state.not_carried import CannotCarry, NotCarried, cannot_carry

Failure = Callable[[Any], Exception | None]
"""Why an object cannot go over; None where it can."""


def culprit(value: Any, where: str, failure: Failure) -> CannotCarry:
    """The error that names the innermost part that fails.

    Args:
        where: What the user calls the object.
    """
    seen = {id(value)}
    while True:
        found = failure(value)
        if isinstance(found, NotCarried) and found.of == id(value):
            return cannot_carry(value, where, str(found), found.advice)
        parts = [part for part in _parts(value, where) if id(part[0]) not in seen]
        seen.update(id(part) for part, _ in parts)
        inner = next((part for part in parts if failure(part[0]) is not None), None)
        if inner is None:
            return cannot_carry(value, where, str(found).strip().partition("\n")[0])
        value, where = inner


def _parts(value: Any, where: str) -> Iterator[tuple[Any, str]]:
    if isinstance(value, dict):
        yield from ((item, f"{where}[{key!r}]") for key, item in value.items())
    elif isinstance(value, list | tuple | set):
        yield from ((item, f"{where}[{index}]") for index, item in enumerate(value))
    elif isinstance(value, FunctionType):
        user = f"(used by {value.__name__})"
        yield from ((used, f"{name} {user}") for name, used in _find_used_values(value))
    elif isinstance(value, type):
        yield from ((part, f"{value.__name__}.{name}") for name, part in vars(value).items())
    else:
        yield type(value), f"the class of {where}"
        attributes = getattr(value, "__dict__", {})
        yield from ((item, f"{where}.{name}") for name, item in attributes.items())


def _find_used_values(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Names of the function around it, and global ones."""
    cells = function.__closure__ or ()
    for name, cell in zip(function.__code__.co_freevars, cells, strict=True):
        with contextlib.suppress(ValueError):  # of a cell that is empty
            yield name, cell.cell_contents
    for name in _names(function.__code__):
        if name in function.__globals__:
            yield name, function.__globals__[name]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
