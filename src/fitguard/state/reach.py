"""What Python code can reach and change: closures, defaults, `self`, globals that it names.

A pipeline may run Python (`py_function`, `numpy_function`, `from_generator`). Before that code runs
once more, all objects it could change are looked for. The search follows the user's own functions,
classes and modules; into installed libraries it follows objects, but not code.
"""

import dis
import functools
import types
from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from fitguard.contract.traces import holds_function, python_function
from fitguard.state.bulk import all_plain, is_bulk, items_of
from fitguard.state.code import codes, names_in
from fitguard.state.kinds import attributes
from fitguard.state.users import is_users

MOST_OBJECTS = 200_000

_LEAVES = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    np.generic,
    np.dtype,
    types.CodeType,
    types.BuiltinFunctionType,
    types.ModuleType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
)
_CONTAINERS = (list, tuple, set, frozenset, deque, dict)
_NOT_FOLLOWED = (
    "tensorflow",
    "keras",
    "tf_keras",
    "numpy",
    "pandas",
    "logging",
    "threading",
    "_thread",
    "_io",
)
_GENERATED_BY_AUTOGRAPH = "__autograph_generated_file"


class Reached(NamedTuple):
    """An object that code can reach.

    Args:
        name: The variable or attribute that it was found under.
    """

    thing: Any
    name: str


class TooMuch(Exception):
    """More objects are reachable than can be looked at."""


def reach(roots: Iterable[object]) -> Iterator[Reached]:
    """All objects that the code of `roots` can reach, each once, values without state left out.

    Of a bulk of samples only the container comes.

    Raises:
        TooMuch: where they are more than `MOST_OBJECTS`.
    """
    seen: dict[int, object] = {}
    waiting: deque[Reached] = deque()
    for root in roots:
        # TensorFlow wraps the user's functions: its own closures count here, and only here.
        inner = _parts_of_closure(root) if isinstance(root, types.FunctionType) else ()
        waiting.extend(inner)
        waiting.append(Reached(root, getattr(root, "__name__", type(root).__name__)))
    while waiting:
        found = waiting.popleft()
        if id(found.thing) in seen or _is_plain(found.thing):
            continue
        # The object itself is kept too: the id of one that died could come again.
        seen[id(found.thing)] = found.thing
        if len(seen) > MOST_OBJECTS:
            raise TooMuch
        yield found
        waiting.extend(part for part in _parts(found) if not _is_plain(part.thing))


def draws_from_tensorflow(function: types.FunctionType) -> bool:
    """Whether the code calls a random operation of TensorFlow that keeps its state in a kernel."""
    scope = _scope(function)
    if _GENERATED_BY_AUTOGRAPH in function.__code__.co_filename:
        # `tf.random.uniform` became a call of calls: only the names are left.
        named = {name for code in codes(function.__code__) for name in _all_names(code)}
        return "random" in named and any(_is_tensorflow(scope.get(name)) for name in named)
    return any(
        _is_tensorflow(scope.get(chain[0]))
        and any(name.startswith("random") or name == "dropout" for name in chain[1:])
        and not chain[-1].startswith(("stateless", "set_seed", "Generator"))
        for code in codes(function.__code__)
        for chain in _attribute_chains(code)
    )


def is_followed(kind: type) -> bool:
    """Whether objects of this class are looked into."""
    return kind.__module__.split(".")[0] not in _NOT_FOLLOWED


def is_plain_type(kind: type) -> bool:
    """Whether things of this type have no state: numbers, texts, modules."""
    return issubclass(kind, _LEAVES)


def _is_plain(thing: object) -> bool:
    return is_plain_type(type(thing)) or (
        isinstance(thing, tuple | frozenset) and all(isinstance(item, _LEAVES) for item in thing)
    )


def _parts(found: Reached) -> Iterator[Reached]:
    thing, name = found
    if isinstance(thing, types.FunctionType):
        yield from _parts_of_function(thing)
    elif isinstance(thing, types.MethodType):
        yield Reached(thing.__self__, "self")
        yield Reached(thing.__func__, name)
    elif isinstance(thing, functools.partial):
        yield from (Reached(part, name) for part in (thing.func, thing.args, thing.keywords))
    elif isinstance(thing, _CONTAINERS):
        items = items_of(thing)
        if not all_plain(items, is_plain_type) and not is_bulk(items, is_plain_type):
            yield from (Reached(item, name) for item in items)
    elif isinstance(thing, np.ndarray):
        if thing.dtype == object:
            yield from (Reached(item, name) for item in thing.flat)
    elif isinstance(thing, type):
        if is_users(thing):
            yield from (Reached(value, key) for key, value in vars(thing).items())
    else:
        yield from _parts_of_instance(thing)


def _parts_of_function(function: types.FunctionType) -> Iterator[Reached]:
    if _is_librarys(function):
        return
    yield from _parts_of_closure(function)
    yield Reached(function.__defaults__, function.__name__)
    yield Reached(function.__kwdefaults__, function.__name__)
    yield from (Reached(value, name) for name, value in vars(function).items())
    if is_users(function):
        yield from _named_globals(function)


def _parts_of_closure(function: types.FunctionType, depth: int = 5) -> Iterator[Reached]:
    """What a function has closed over; also behind functions of TensorFlow that wrap another."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    for name, cell in cells:
        try:
            thing = cell.cell_contents
        except ValueError:  # not bound yet
            continue
        yield Reached(thing, name)
        if depth and isinstance(thing, types.FunctionType) and _is_librarys(thing):
            yield from _parts_of_closure(thing, depth - 1)


def _is_librarys(function: types.FunctionType) -> bool:
    """Whether it belongs to a library whose own state does not matter."""
    return not is_users(function) and (function.__module__ or "").split(".")[0] in _NOT_FOLLOWED


def _named_globals(function: types.FunctionType) -> Iterator[Reached]:
    names = names_in(function)
    for name in names & function.__globals__.keys():
        value = function.__globals__[name]
        if isinstance(value, types.ModuleType) and is_users(value):
            yield from (Reached(vars(value)[inner], inner) for inner in names & vars(value).keys())
        else:
            yield Reached(value, name)


def _parts_of_instance(thing: Any) -> Iterator[Reached]:
    if holds_function(thing):
        function = python_function(thing)
        yield Reached(function, "function")
        if isinstance(function, types.FunctionType):
            yield from _parts_of_closure(function)
    elif isinstance(thing, staticmethod | classmethod | property):
        functions = (getattr(thing, key, None) for key in ("__func__", "fget", "fset"))
        yield from (Reached(function, "function") for function in functions)
    elif is_followed(type(thing)):
        yield from (Reached(held, name) for name, held in attributes(thing).items())
        yield from (Reached(base, base.__name__) for base in type(thing).__mro__ if is_users(base))


def _scope(function: types.FunctionType) -> dict[str, Any]:
    scope = dict(function.__globals__)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            scope[name] = cell.cell_contents
        except ValueError:
            continue
    return scope


def _attribute_chains(code: types.CodeType) -> Iterator[list[str]]:
    """`tf.random.uniform` as a list of its names, for each that the code has."""
    chain: list[str] = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_ATTR", "LOAD_METHOD") and chain:
            chain.append(str(instruction.argval))
            continue
        if chain:
            yield chain
        is_start = instruction.opname in ("LOAD_GLOBAL", "LOAD_DEREF", "LOAD_NAME")
        chain = [str(instruction.argval)] if is_start else []
    if chain:
        yield chain


def _all_names(code: types.CodeType) -> tuple[str, ...]:
    return (*code.co_names, *code.co_freevars)


def _is_tensorflow(thing: object) -> bool:
    name = getattr(thing, "__name__", "") if isinstance(thing, types.ModuleType) else ""
    return "tensorflow" in name
