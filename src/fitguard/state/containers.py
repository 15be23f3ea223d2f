"""Containers: lists, dicts, sets and their kin, bytes, files in memory."""

import array
import math
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from fitguard.state.kinds import (
    MISSING,
    CannotMake,
    Kind,
    Part,
    Stored,
    Value,
    as_it_is,
    attributes,
    set_attribute,
)
from fitguard.state.users import is_users
from fitguard.state.values import KIND, decode, encode, look_up


class Sequences(Kind):
    """Lists and deques."""

    name = "sequence"

    def parts(self, thing: Any) -> Iterator[Part]:
        yield from ((f"[{number}]", item) for number, item in enumerate(thing))
        yield from _own_attributes(thing)

    def read(self, thing: Any, stored: Stored) -> Any:
        state = _with_attributes(thing, _store_items(thing, stored), stored)
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
        made = _make_empty(entry, (list, deque))
        if isinstance(made, deque):
            deque.__init__(made, maxlen=entry["state"].get("most"))
        return made


class ObjectArrays(Kind):
    """Arrays of Python objects."""

    name = "objects"

    def parts(self, thing: Any) -> Iterator[Part]:
        yield from ((f"[{number}]", item) for number, item in enumerate(thing.flat))

    def read(self, thing: Any, stored: Stored) -> Any:
        return {"items": [stored(item) for item in thing.flat]}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        for number, item in enumerate(state["items"]):
            thing.flat[number] = value(item, thing.flat[number])


class Mappings(Kind):
    """Dicts and their kin."""

    name = "mapping"

    def parts(self, thing: Any) -> Iterator[Part]:
        for key, item in list(thing.items()):
            yield f"[{key!r:.80}]", item
        yield from _own_attributes(thing)

    def read(self, thing: Any, stored: Stored) -> Any:
        pairs: list[Any] = list(thing.items())
        if stored is not as_it_is:
            pairs = [[stored(key), stored(item)] for key, item in pairs]
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
        made = _make_empty(entry, (defaultdict, Counter, OrderedDict, dict))
        if isinstance(made, defaultdict):
            made.default_factory = value(entry["state"].get("factory"), None)
        return made


class Sets(Kind):
    """Sets: their items have no place, so only values are brought back."""

    name = "set"

    def read(self, thing: Any, stored: Stored) -> Any:
        items = _store_items(thing, stored)
        return items if stored is as_it_is else sorted(items, key=repr)

    def write(self, thing: Any, state: Any, value: Value) -> None:
        items = {value(item, MISSING) for item in state}
        # An unchanged set keeps its order only when it is left alone.
        if items != thing:
            set.clear(thing)
            set.update(thing, items)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        return set()


class Bytes(Kind):
    """Bytearrays."""

    name = "bytes"

    def read(self, thing: Any, stored: Stored) -> Any:
        return stored(bytes(thing))

    def write(self, thing: Any, state: Any, value: Value) -> None:
        thing[:] = value(state, MISSING)

    def make(self, entry: Mapping[str, Any], value: Value) -> Any:
        return bytearray()


class RawNumbers(Kind):
    """Arrays of Python's own module `array`."""

    name = "raw numbers"

    def read(self, thing: Any, stored: Stored) -> Any:
        return {"type": thing.typecode, "items": stored(thing.tobytes())}

    def write(self, thing: Any, state: Any, value: Value) -> None:
        thing[:] = array.array(state["type"], value(state["items"], MISSING))

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


def _own_attributes(thing: Any) -> Iterator[Part]:
    if is_users(type(thing)):
        yield from attributes(thing).items()


def _store_items(items: Any, stored: Stored) -> list[Any]:
    """Many file names, say, stand for themselves: to ask for each would take long."""
    if stored is as_it_is or _are_as_they_are(items):
        return list(items)
    if {*map(type, items)} == {tuple} and _are_as_they_are([*chain.from_iterable(items)]):
        return [{KIND: "tuple", "items": list(item)} for item in items]
    return [stored(item) for item in items]


def _are_as_they_are(items: Any) -> bool:
    kinds = set(map(type, items))
    if float not in kinds or not kinds <= _AS_THEY_ARE:
        return kinds <= _AS_THEY_ARE
    floats = items if kinds == {float} else [item for item in items if type(item) is float]
    return all(map(math.isfinite, floats))


def _with_attributes(thing: Any, items: Any, stored: Stored) -> dict[str, Any]:
    more = {name: stored(held) for name, held in _own_attributes(thing)}
    return {"items": items, "attributes": more} if more else {"items": items}


def _write_attributes(thing: Any, state: Mapping[str, Any], value: Value) -> None:
    present = attributes(thing) if "attributes" in state else {}
    for name, held in state.get("attributes", {}).items():
        set_attribute(thing, name, value(held, present.get(name, MISSING)))


def _make_empty(entry: Mapping[str, Any], plain: tuple[type, ...]) -> Any:
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
