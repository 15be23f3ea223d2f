"""What the code of functions names: read from its instructions, nothing is run."""

import dis
import functools
import types
from collections import ChainMap
from collections.abc import Iterator, Mapping
from typing import Any

from fitguard.state.kinds import cell_value

_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "STORE_GLOBAL", "DELETE_GLOBAL")
_GENERATED_BY_AUTOGRAPH = "__autograph_generated_file"


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code of a function, and of the functions, generators and comprehensions inside of it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def names_in(function: types.FunctionType) -> frozenset[str]:
    """Globals and attributes that the code names."""
    return frozenset(name for code in codes(function.__code__) for name in code.co_names)


@functools.lru_cache(maxsize=4096)
def globals_of(code: types.CodeType) -> tuple[str, ...]:
    """Globals that the code reads or sets, each once, in a fixed order."""
    return tuple(sorted({*_find_names(code, _GLOBALS)}))


@functools.lru_cache(maxsize=4096)
def attributes_set_by(code: types.CodeType) -> frozenset[str]:
    """Names of attributes that the code sets, of whatever object."""
    return frozenset(_find_names(code, ("STORE_ATTR",)))


def cells_of(function: types.FunctionType) -> Iterator[tuple[str, types.CellType]]:
    """What a function has closed over, by name."""
    return zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)


def draws_from_tensorflow(function: types.FunctionType) -> bool:
    """Whether the code calls a random operation of TensorFlow that keeps its state in a kernel."""
    cells = {name: cell_value(cell) for name, cell in cells_of(function)}
    scope: Mapping[str, Any] = ChainMap(cells, function.__globals__)
    if _GENERATED_BY_AUTOGRAPH in function.__code__.co_filename:
        # `tf.random.uniform` became a call of calls: only the names are left.
        named = names_in(function).union(*(code.co_freevars for code in codes(function.__code__)))
        return "random" in named and any(_is_tensorflow(scope.get(name)) for name in named)
    return any(
        _is_tensorflow(scope.get(chain[0]))
        and any(name.startswith("random") or name == "dropout" for name in chain[1:])
        and not chain[-1].startswith(("stateless", "set_seed", "Generator"))
        for code in codes(function.__code__)
        for chain in _attribute_chains(code)
    )


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


def _is_tensorflow(thing: object) -> bool:
    return isinstance(thing, types.ModuleType) and "tensorflow" in thing.__name__


def _find_names(code: types.CodeType, operations: tuple[str, ...]) -> Iterator[str]:
    """Most code has none of them: a look at its bytes is 100 times faster than `dis`."""
    numbers = {dis.opmap[name] for name in operations if name in dis.opmap}
    for one in codes(code):
        if numbers.isdisjoint(one.co_code[::2]):
            continue
        for instruction in dis.get_instructions(one):
            if instruction.opname in operations:
                yield str(instruction.argval)
