"""What the code of functions names: read from its instructions, nothing is run."""

import dis
import functools
import types
from collections.abc import Iterator

_READ = ("LOAD_GLOBAL", "LOAD_NAME")
_SET = ("STORE_GLOBAL", "DELETE_GLOBAL")


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
    return tuple(sorted({*_named(code, (*_READ, *_SET))}))


@functools.lru_cache(maxsize=4096)
def attributes_set_by(code: types.CodeType) -> frozenset[str]:
    """Names of attributes that the code sets, of whatever object."""
    return frozenset(_named(code, ("STORE_ATTR",)))


def globals_set_by(function: types.FunctionType) -> frozenset[str]:
    """Globals that the code binds anew (`global count; count += 1`)."""
    return frozenset(_named(function.__code__, _SET))


def _named(code: types.CodeType, operations: tuple[str, ...]) -> Iterator[str]:
    for one in codes(code):
        for instruction in dis.get_instructions(one):
            if instruction.opname in operations:
                yield str(instruction.argval)
