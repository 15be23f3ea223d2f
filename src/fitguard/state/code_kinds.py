"""Code of the user's: what its functions share, remember and name."""

import functools
import types
from collections.abc import Iterable, Iterator
from typing import Any

from fitguard.contract.traces import holds_function, python_function
from fitguard.state.code import cells_of, globals_of, names_in
from fitguard.state.kinds import Kind, Names, Part, Stored, Value, cell_value
from fitguard.state.objects import write_attributes
from fitguard.state.users import is_users

_DEEPEST = 5


class Functions(Kind):
    """Functions of the user's: their attributes; cells and globals are objects of their own.

    Args:
        names_of: The names of a module that are looked at, by its dict.
    """

    name = "function"

    def __init__(self, names_of: Any) -> None:
        self._names_of = names_of

    def parts(self, thing: types.FunctionType) -> Iterator[Part]:
        yield from ((f"<{name}>", cell) for name, cell in cells_of(thing))
        if thing.__defaults__:
            yield "defaults", thing.__defaults__
        if thing.__kwdefaults__:
            yield "named defaults", thing.__kwdefaults__
        yield from vars(thing).items()
        if is_users(thing):
            yield from self._globals(thing)

    def read(self, thing: types.FunctionType, stored: Stored) -> Any:
        return {name: stored(held) for name, held in vars(thing).items()}

    def write(self, thing: types.FunctionType, state: Any, value: Value) -> None:
        write_attributes(thing, vars(thing), state, value)

    def _globals(self, function: types.FunctionType) -> Iterator[Part]:
        scope = function.__globals__
        names = globals_of(function.__code__)
        for name in names:
            held = scope.get(name)
            if isinstance(held, types.ModuleType) and is_users(held):
                inner = sorted(names_in(function) & vars(held).keys())
                yield from self._find_named_parts(vars(held), inner)
        yield from self._find_named_parts(scope, names)

    def _find_named_parts(self, scope: dict[str, Any], names: Iterable[str]) -> Iterator[Part]:
        module = str(scope.get("__name__", ""))
        noted: Names = self._names_of(scope)
        noted.names.update(dict.fromkeys(names))
        yield f"::{module}", noted
        yield from ((f"::{module}.{name}", scope[name]) for name in names if name in scope)


class Ways(Kind):
    """What only leads to others: methods, partials, tuples, wrappers of a library."""

    name = "way"
    has_state = False

    def parts(self, thing: Any) -> Iterator[Part]:
        if isinstance(thing, types.MethodType):
            yield "self", thing.__self__
            yield thing.__func__.__name__, thing.__func__
        elif isinstance(thing, functools.partial):
            yield from (("func", thing.func), ("args", thing.args), ("keywords", thing.keywords))
        elif isinstance(thing, tuple | frozenset):
            yield from ((f"[{number}]", item) for number, item in enumerate(thing))
        elif isinstance(thing, types.MappingProxyType):
            yield from ((f"[{key!r:.80}]", item) for key, item in thing.items())
        elif isinstance(thing, staticmethod | classmethod | property):
            for name in ("__func__", "fget", "fset", "fdel"):
                yield name, getattr(thing, name, None)
        elif isinstance(thing, types.FunctionType):
            yield from _find_wrapped_functions(thing)
        else:
            yield "function", python_function(thing)


def _find_wrapped_functions(function: types.FunctionType, depth: int = _DEEPEST) -> Iterator[Part]:
    """The user's functions that a function of a library has closed over."""
    for name, cell in cells_of(function):
        held = cell_value(cell)
        if isinstance(held, types.FunctionType) and not is_users(held) and depth:
            yield from _find_wrapped_functions(held, depth - 1)
        elif callable(held) or holds_function(held):
            yield f"<{name}>", held
