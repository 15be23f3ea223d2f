"""Objects that can change, by kind: what each holds, how it is read, how it is written in place.

In place, because the script may hold the very same object elsewhere.
"""

import array
import math
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

from fitguard.contract.random_sources import put_state, state_of
from fitguard.state.users import is_users
from fitguard.state.values import KIND, decode, encode, look_up

Part = tuple[str, Any]
Stored = Callable[[Any], Any]
"""What stands for a value in a state."""
Value = Callable[[Any, Any], Any]
"""The value for what stands in a state, and what is in its place now."""

MISSING: Any = object()
"""In place of what is not there."""


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


class Sequences(Kind):
    """Lists and deques."""

    name = "sequence"

    def parts(self, thing: Any) -> Iterator[Part]:
        yield from ((f"[{number}]", item) for number, item in enumerate(thing))
        yield from _own_attributes(thing)

    def read(self, thing: Any, stored: Stored) -> Any:
        state = _with_attributes(thing, _stored_items(thing, stored), stored)
        return {**state, "most": thing.maxlen} if isinstance(thing, deque) else state

    def write(self, thing: Any, state: Any, value: Value) -> None:
        present = list(thing)
        items = [
            value(item, present[number] if number < len(present) else MISSING)
            for number, item in enumerate(state["items"])
        ]
        if not _same(present, items):
            # The methods of the plain class: those of Keras' own lists would note it elsewhere.
            plain: Any = list if isinstance(thing, list) else deque
            plain.clear(thing)
            plain.extend(thing, items)
        _write_attributes(thing, state, value)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        made = _made(entry, (list, deque))
        if isinstance(made, deque):
            deque.__init__(made, maxlen=entry["state"].get("most"))
        return made


class Mappings(Kind):
    """Dicts and their kin."""

    name = "mapping"

    def parts(self, thing: Any) -> Iterator[Part]:
        for key, item in list(thing.items()):
            yield f"[{key!r:.80}]", item
        yield from _own_attributes(thing)

    def read(self, thing: Any, stored: Stored) -> Any:
        pairs = [[stored(key), stored(item)] for key, item in list(thing.items())]
        state = _with_attributes(thing, pairs, stored)
        if isinstance(thing, defaultdict):
            return {**state, "factory": stored(thing.default_factory)}
        return state

    def write(self, thing: Any, state: Any, value: Value) -> None:
        pairs = []
        for stored_key, stored_item in state["items"]:
            key = value(stored_key, MISSING)
            pairs.append((key, value(stored_item, dict.get(thing, key, MISSING))))
        if not _same([*thing.keys(), *thing.values()], [*_columns(pairs)]):
            plain: Any = OrderedDict if isinstance(thing, OrderedDict) else dict
            plain.clear(thing)
            for key, item in pairs:
                plain.__setitem__(thing, key, item)
        _write_attributes(thing, state, value)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        made = _made(entry, (defaultdict, Counter, OrderedDict, dict))
        if isinstance(made, defaultdict):
            made.default_factory = value(entry["state"].get("factory"), None)
        return made


class Sets(Kind):
    """Sets: their items have no place, so only values are brought back."""

    name = "set"

    def read(self, thing: Any, stored: Stored) -> Any:
        return sorted((stored(item) for item in thing), key=repr)

    def write(self, thing: Any, state: Any, value: Value) -> None:
        items = {value(item, MISSING) for item in state}
        # An unchanged set keeps its order only when it is left alone.
        if items != thing:
            thing.clear()
            thing.update(items)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        return set()


class Bytes(Kind):
    """Bytearrays."""

    name = "bytes"

    def read(self, thing: Any, stored: Stored) -> Any:
        return encode(bytes(thing))

    def write(self, thing: Any, state: Any, value: Value) -> None:
        thing[:] = decode(state)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        return bytearray()


class RawNumbers(Kind):
    """Arrays of Python's own module `array`."""

    name = "raw numbers"

    def read(self, thing: Any, stored: Stored) -> Any:
        return {"type": thing.typecode, "items": encode(thing.tobytes())}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        thing[:] = array.array(state["type"], decode(state["items"]))

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        return array.array(entry["state"]["type"])


class MemoryFiles(Kind):
    """Files in memory: `io.StringIO`, `io.BytesIO`."""

    name = "memory file"

    def read(self, thing: Any, stored: Stored) -> Any:
        return None if thing.closed else {"at": thing.tell(), "all": encode(thing.getvalue())}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        thing.seek(0)
        thing.truncate()
        thing.write(decode(state["all"]))
        thing.seek(state["at"])

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        return look_up(entry["class"])()


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
    """Globals of a module of the user's that his functions name.

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
        for name, held in state.items():
            present = thing.scope.get(name, MISSING)
            new = value(held, present)
            if new is not present:
                thing.scope[name] = new


class Classes(Kind):
    """What the user's classes hold themselves."""

    name = "class"

    def parts(self, thing: Any) -> Iterator[Part]:
        yield from vars(thing).items()
        yield from ((base.__name__, base) for base in thing.__bases__ if is_users(base))

    def read(self, thing: Any, stored: Stored) -> Any:
        return {name: stored(held) for name, held in vars(thing).items() if _is_data(name, held)}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        for name, held in state.items():
            present = vars(thing).get(name, MISSING)
            new = value(held, present)
            if new is not present:
                setattr(thing, name, new)


def cell_value(cell: types.CellType) -> Any:
    """What a variable of a closure holds; `MISSING` where it is not bound yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def attributes(thing: Any) -> dict[str, Any]:
    """What an instance holds, in its dictionary or its slots."""
    held = getattr(thing, "__dict__", None)
    found = dict(held) if isinstance(held, dict) else {}
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if name not in ("__dict__", "__weakref__") and hasattr(thing, name):
                found[name] = getattr(thing, name)
    return found


def set_attribute(thing: Any, name: str, held: Any) -> None:
    """Set it without any code of its class; also what is frozen."""
    values = getattr(thing, "__dict__", None)
    if isinstance(values, dict) and not isinstance(
        getattr(type(thing), name, None), types.MemberDescriptorType
    ):
        values[name] = held
    else:
        object.__setattr__(thing, name, held)


def _is_data(name: str, held: Any) -> bool:
    return not name.startswith("__") and not callable(held) and not hasattr(held, "__get__")


def _own_attributes(thing: Any) -> Iterator[Part]:
    if is_users(type(thing)):
        yield from attributes(thing).items()


def _stored_items(items: Any, stored: Stored) -> list[Any]:
    """Many file names, say, stand for themselves: to ask for each would take long."""
    if _are_as_they_are(items):
        return list(items)
    if {*map(type, items)} == {tuple} and _are_as_they_are([*chain.from_iterable(items)]):
        return [{KIND: "tuple", "items": list(item)} for item in items]
    return [stored(item) for item in items]


def _are_as_they_are(items: Any) -> bool:
    kinds = set(map(type, items))
    return kinds <= _AS_THEY_ARE and (float not in kinds or all(map(math.isfinite, items)))


def _with_attributes(thing: Any, items: Any, stored: Stored) -> dict[str, Any]:
    more = {name: stored(held) for name, held in _own_attributes(thing)}
    return {"items": items, "attributes": more} if more else {"items": items}


def _write_attributes(thing: Any, state: Mapping[str, Any], value: Value) -> None:
    present = attributes(thing) if "attributes" in state else {}
    for name, held in state.get("attributes", {}).items():
        set_attribute(thing, name, value(held, present.get(name, MISSING)))


def _made(entry: Mapping[str, Any], plain: tuple[type, ...]) -> Any:
    cls = look_up(entry["class"])
    base: Any = next((one for one in plain if issubclass(cls, one)), None)
    if base is None or not (cls in plain or is_users(cls)):
        raise CannotMake
    return base.__new__(cls)


def _same(present: list[Any], wanted: list[Any]) -> bool:
    """Whether they are the same objects; equality of arrays is no truth value."""
    return len(present) == len(wanted) and all(
        one is other or (type(one) in _PLAIN and type(one) is type(other) and one == other)
        for one, other in zip(present, wanted, strict=True)
    )


_PLAIN = (int, str, bytes)
_AS_THEY_ARE = {bool, int, float, str}


def _columns(pairs: list[tuple[Any, Any]]) -> Iterator[Any]:
    yield from (key for key, _ in pairs)
    yield from (item for _, item in pairs)
