"""Objects that can change, by kind: what each holds, how it is read, how it is written in place.

In place, because the script may hold the very same object elsewhere.
"""

import contextlib
import functools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fitguard.contract.random_sources import put_state, state_of
from fitguard.state.users import is_users
from fitguard.state.values import decode, encode, look_up

Part = tuple[str, Any]
Stored = Callable[[Any], Any]
"""What stands for a value in a state."""
Value = Callable[[Any, Any], Any]
"""The value for what stands in a state, and what is in its place now."""

MISSING: Any = object()
"""In place of what is not there."""
SOME = "~ only some"
"""In a state that does not name all attributes: the others are left."""


def as_it_is(value: Any, _present: Any = None) -> Any:
    """Both `Stored` and `Value` inside of one process: the very same object."""
    return value


class CannotMake(Exception):
    """An object that was there, is not there now, and cannot be made anew."""


class Kind:
    """How objects of one kind are treated.

    Attributes:
        has_state: False for what only leads to others.
    """

    name = ""
    has_state = True

    def parts(self, thing: Any) -> Iterator[Part]:
        """What it holds, each under a name that is the same in each process."""
        yield from ()

    def read(self, thing: Any, stored: Stored) -> Any:
        """Its own state, without that of what it holds."""
        return None

    def write(self, thing: Any, state: Any, value: Value) -> None:
        """Bring it into a state that `read` gave."""

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        """A new one, to be written.

        Raises:
            CannotMake: where only the script itself can.
        """
        raise CannotMake


class RandomSources(Kind):
    """Generators of random numbers of all libraries."""

    name = "random"

    def read(self, thing: Any, stored: Stored) -> Any:
        return encode(state_of(thing))

    def write(self, thing: Any, state: Any, value: Value) -> None:
        put_state(thing, decode(state))

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        cls = look_up(entry["class"])
        if entry["class"]["module"].startswith("numpy.random") and cls.__name__ == "Generator":
            import numpy as np

            bits = decode(entry["state"])["state"]["bit_generator"]
            return cls(getattr(np.random, bits)())
        try:
            return cls()
        except TypeError as error:
            raise CannotMake from error


class Files(Kind):
    """Open files: where the next read or write goes. What they hold is kept elsewhere."""

    name = "file"

    def read(self, thing: Any, stored: Stored) -> Any:
        try:
            if thing.closed or not thing.seekable():
                return None
            if thing.writable():
                thing.flush()
            return thing.tell()
        except (OSError, ValueError):
            return None

    def write(self, thing: Any, state: Any, value: Value) -> None:
        if state is not None and not thing.closed and thing.seekable():
            thing.seek(state)


class Cells(Kind):
    """Variables that functions share: what a closure has closed over."""

    name = "cell"

    def parts(self, thing: Any) -> Iterator[Part]:
        if (held := cell_value(thing)) is not MISSING:
            yield "", held

    def read(self, thing: Any, stored: Stored) -> Any:
        held = cell_value(thing)
        return [] if held is MISSING else [stored(held)]

    def write(self, thing: Any, state: Any, value: Value) -> None:
        if state:
            present = cell_value(thing)
            held = value(state[0], present)
            if held is not present:
                thing.cell_contents = held


class Names:
    """Globals of a module of the user's that functions of it name.

    Args:
        scope: The module's own dict.
    """

    def __init__(self, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.names: dict[str, None] = {}


class Globals(Kind):
    """Those names, and what they stand for."""

    name = "globals"

    def parts(self, thing: Names) -> Iterator[Part]:
        yield from ((name, thing.scope[name]) for name in thing.names if name in thing.scope)

    def read(self, thing: Names, stored: Stored) -> Any:
        return {name: stored(held) for name, held in self.parts(thing)}

    def write(self, thing: Names, state: Any, value: Value) -> None:
        write_names(state, value, thing.scope, thing.scope.__setitem__)
        # In another process one that is not in the state may be none that the code has added.
        for name in thing.names.keys() - state.keys() if value is as_it_is else ():
            thing.scope.pop(name, None)


class Classes(Kind):
    """What the user's classes hold themselves."""

    name = "class"

    def parts(self, thing: Any) -> Iterator[Part]:
        yield from vars(thing).items()
        yield from ((base.__name__, base) for base in thing.__bases__ if is_users(base))

    def read(self, thing: Any, stored: Stored) -> Any:
        return {name: stored(held) for name, held in vars(thing).items() if _is_data(name, held)}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        write_names(state, value, vars(thing), functools.partial(setattr, thing))


def write_names(
    state: Mapping[str, Any],
    value: Value,
    present: Mapping[str, Any],
    put: Callable[[str, Any], None],
) -> None:
    """Give names their values; one that cannot be made takes no other along."""
    for name in state.keys() - {SOME}:
        now = present.get(name, MISSING)
        with contextlib.suppress(CannotMake, AttributeError, KeyError, TypeError, ValueError):
            new = value(state[name], now)
            if new is not now:
                put(name, new)


def cell_value(cell: types.CellType) -> Any:
    """What a variable of a closure holds; `MISSING` where it is not bound yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def attributes(thing: Any) -> dict[str, Any]:
    """What an instance holds, in its dictionary or its slots; none of its own code is asked."""
    held = _attribute(thing, "__dict__")
    found = dict(held) if isinstance(held, dict) else {}
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            value = _attribute(thing, name)
            if name not in ("__dict__", "__weakref__") and value is not MISSING:
                found[name] = value
    return found


def _attribute(thing: Any, name: str) -> Any:
    try:
        return object.__getattribute__(thing, name)
    except AttributeError:
        return MISSING


def set_attribute(thing: Any, name: str, held: Any) -> None:
    """Set it without any code of its class; also what is frozen."""
    values = _attribute(thing, "__dict__")
    if isinstance(values, dict) and not isinstance(
        getattr(type(thing), name, None), types.MemberDescriptorType
    ):
        values[name] = held
    else:
        object.__setattr__(thing, name, held)


def _is_data(name: str, held: Any) -> bool:
    return not name.startswith("__") and not callable(held) and not hasattr(held, "__get__")
