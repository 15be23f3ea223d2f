"""The state of a graph of objects as plain data and arrays, and back into the objects of another.

    then   when the training step was made: what its graph has taken for constants
    now    what has changed since

Both go into a snapshot. To come back, first `then` is written, the step is traced, and `now` is
written over it: so the graph is that of the first process.
"""

import contextlib
import functools
import hashlib
import types
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np

from fitguard.contract.held_variables import is_counted
from fitguard.state.bulk import is_much
from fitguard.state.containers import Sequences
from fitguard.state.graph import Graph, Node
from fitguard.state.kinds import MISSING, SOME, CannotMake
from fitguard.state.numbers import Numbers, digest_in, digest_of
from fitguard.state.objects import PUBLIC
from fitguard.state.opaque import opaque_digest
from fitguard.state.values import (
    KIND,
    REFERENCE,
    NotPlain,
    decode,
    encode,
    is_tensor,
    make_tensor,
    name_in_module,
)

_WITH_ATTRIBUTES = ("object", "part", "globals", "class")

Entries = dict[str, dict[str, Any]]
"""By way: kind, class, label and state of an object."""
Arrays = dict[str, np.ndarray]

SMALL_BYTES = 1 << 20
"""An array up to this size is kept even where it has not changed."""
MOST_BYTES = 256 << 20
"""A larger one is not kept even where it has."""
_INLINE_BYTES = 1024
"""A tensor up to this size stands in the document itself."""


def read_entries(graph: Graph) -> Entries:
    """The state of all objects; of arrays only what they are recognized by."""
    entries = {way: _entry(node, graph) for way, node in graph.nodes.items()}
    # Many parts of Keras hold nothing that could change.
    return {way: entry for way, entry in entries.items() if entry["state"] not in ({}, None)}


def read_arrays(graph: Graph, entries: Entries, then: Mapping[str, Any]) -> Arrays:
    """Copies of the arrays of these entries that are small, or have changed since `then`."""
    arrays: Arrays = {}
    for way, entry in entries.items():
        node = graph.nodes[way]
        if isinstance(node.kind, Numbers) and (digest := digest_in(entry)):
            array = node.kind.array(node.thing)
            changed = entry["state"] != then.get(way, {}).get("state")
            if array.nbytes <= (MOST_BYTES if changed else SMALL_BYTES):
                arrays[digest] = np.array(array)
        if graph.tensors:
            arrays.update((name, graph.tensors[name]) for name in list_tensors(entry["state"]))
    return arrays


class Holder(NamedTuple):
    """An object that holds tensors; `label` is how people call it."""

    label: str
    tensors: int
    bytes: int


def find_heaviest(graph: Graph, entries: Entries) -> Holder | None:
    """The object that holds most in small tensors; None where none does."""
    found = []
    for entry in entries.values() if graph.tensors else ():
        sizes = [graph.tensors[name].nbytes for name in list_tensors(entry["state"])]
        found.append(Holder(entry["label"], len(sizes), sum(sizes)))
    return max(found, key=lambda holder: holder.bytes, default=None)


def list_tensors(state: Any) -> Iterator[str]:
    """What the tensors in a state are recognized by, as arrays of a snapshot."""
    if isinstance(state, dict):
        if "tensor" in state and state.get(KIND) == REFERENCE:
            yield state["tensor"]
        state = list(state.values())
    if isinstance(state, list):
        for held in state:
            if isinstance(held, dict | list):
                yield from list_tensors(held)


def find_changed_opaque(now: Entries, then: Entries) -> Iterator[str]:
    """How people call objects of other libraries that have changed: they are not kept."""
    for way, entry in now.items():
        before = then.get(way)
        if before is None or entry["kind"] not in _WITH_ATTRIBUTES:
            continue
        for name, held in entry["state"].items():
            old = before["state"].get(name)
            if _is_opaque(held) and _is_opaque(old) and held != old:
                yield f"{_owner(entry)}{name} ({held['there']})"


def too_large(changed: Mapping[str, Any], kept: Collection[str]) -> Iterator[str]:
    """How people call what has changed and is too large to be among `kept`."""
    for entry in changed.values():
        digest = digest_in(entry)
        is_left = digest is not None and digest not in kept
        if is_left or _is_much(entry["state"]):
            yield str(entry["label"])


def _is_opaque(held: Any) -> bool:
    return isinstance(held, dict) and held.get(KIND) == REFERENCE and {"there", "is"} <= held.keys()


def _owner(entry: Mapping[str, Any]) -> str:
    if entry["kind"] == "globals":
        return "the global "
    return str(entry.get("class", {}).get("name", entry["label"])) + "."


def changes(now: Entries, then: Entries) -> Entries:
    """Entries that differ."""
    return {way: entry for way, entry in now.items() if then.get(way) != entry}


def without_the_same(entries: Entries, others: Entries) -> Entries:
    """Without what the library has set and nobody has changed: that is for the script to say."""
    return {way: _without_the_same(entry, others.get(way)) for way, entry in entries.items()}


def _without_the_same(entry: dict[str, Any], other: Mapping[str, Any] | None) -> dict[str, Any]:
    state = entry["state"]
    if other is None or not isinstance(state, dict) or PUBLIC not in state:
        return entry
    same = other["state"].get(PUBLIC, {})
    changed = {name: held for name, held in state[PUBLIC].items() if same.get(name) != held}
    return {**entry, "state": {**state, PUBLIC: changed}}


def some_of(
    entry: dict[str, Any], other: Mapping[str, Any] | None, changed: Collection[str]
) -> dict[str, Any]:
    """With those attributes only that are others in the other entry, or lead to what has changed.

    Args:
        changed: The ways to that.
    """
    if other is None or entry["kind"] not in _WITH_ATTRIBUTES:
        return entry
    there = other["state"]
    state = {
        name: held
        for name, held in entry["state"].items()
        if name == PUBLIC or name not in there or there[name] != held or _leads_to(held, changed)
    }
    return _without_the_same({**entry, "state": {**state, SOME: True}}, other)


def leads_to(entry: Mapping[str, Any], ways: Collection[str]) -> bool:
    """Whether an attribute of it is one of the objects on these ways."""
    with_attributes = entry["kind"] in _WITH_ATTRIBUTES
    return with_attributes and any(_leads_to(held, ways) for held in entry["state"].values())


def _leads_to(held: Any, ways: Collection[str]) -> bool:
    return isinstance(held, dict) and held.get(KIND) == REFERENCE and held.get("way") in ways


def write_entries(
    graph: Graph, entries: Entries, arrays: Mapping[str, np.ndarray]
) -> dict[int, Node]:
    """Bring the objects of a graph into the state of the entries; make those that are missing.

    What cannot be written is left: a comparison afterwards shows it.

    Returns:
        The objects that now stand for the entries, by id: their ways stay what they are.
    """
    return _Writer(graph, entries, arrays).write()


def differences(wanted: Entries, present: Entries) -> list[str]:
    """How people call what is not as it should be."""
    found: dict[str, None] = {}
    for way, entry in wanted.items():
        there = present.get(way)
        if there is not None:
            found |= dict.fromkeys(_unlike(entry, there["state"]))
        elif not is_counted(way) and not _is_librarys(entry):
            found[entry["label"]] = None
    return list(found)


def _is_librarys(entry: Mapping[str, Any]) -> bool:
    """Whether it holds nothing of the user's: the library makes such parts as it needs them."""
    return entry["kind"] == "part" and not entry["state"].keys() - {PUBLIC, SOME}


def _unlike(entry: Mapping[str, Any], present: Any) -> Iterator[str]:
    """The object, or its attributes, that are not alike."""
    wanted, label = entry["state"], entry["label"]
    if entry["kind"] not in _WITH_ATTRIBUTES:
        yield from () if _alike(wanted, present) else (label,)
        return
    owner = _owner(entry)
    ours, theirs = wanted.get(PUBLIC, {}), present.get(PUBLIC, {})
    differ = [name for name in ours.keys() & theirs.keys() if ours[name] != theirs[name]]
    differ += [
        name
        for name in (wanted if SOME in wanted else {**wanted, **present})
        if name not in (PUBLIC, SOME)
        and not _alike(wanted.get(name, MISSING), present.get(name, MISSING))
    ]
    yield from (f"{owner}{name}" for name in sorted(differ))


def _alike(wanted: Any, present: Any) -> bool:
    """Whether a state is the same, whatever stands for objects of libraries."""
    if isinstance(wanted, dict) and wanted.get(KIND) == REFERENCE and "there" in wanted:
        return not (wanted.get("code") or "is" in wanted) or wanted == present
    if isinstance(wanted, dict) and isinstance(present, dict):
        return wanted.keys() == present.keys() and all(
            _alike(held, present[name]) for name, held in wanted.items()
        )
    if isinstance(wanted, list) and isinstance(present, list):
        return len(wanted) == len(present) and all(map(_alike, wanted, present))
    return bool(wanted == present)


def _entry(node: Node, graph: Graph) -> dict[str, Any]:
    thing = node.thing
    try:
        if isinstance(thing, list | dict | set | deque) and is_much(thing):
            state = {"much": hashlib.blake2b(repr(thing).encode(), digest_size=16).hexdigest()}
        else:
            state = node.kind.read(thing, functools.partial(_encode_value, graph))
    except Exception as error:
        # An array of a dtype that no file can hold, or an object that raises what it likes.
        graph.unkept.setdefault(f"{node.label} raises {type(error).__name__} when it is read")
        state = None
    entry = {"kind": node.kind.name, "label": node.label, "state": state}
    cls = name_in_module(type(thing))
    return entry if cls is None else {**entry, "class": cls}


def _encode_value(graph: Graph, value: Any) -> Any:
    return encode(value, refer=functools.partial(_reference, graph))


def _reference(graph: Graph, value: Any) -> Any:
    """What stands for a value that is no plain number or text."""
    if isinstance(value, types.FunctionType | type) and name_in_module(value) is not None:
        # The same in each process, wherever it was found first.
        return encode(value)
    way = graph.way_of(value)
    if way in graph.nodes:
        return {KIND: REFERENCE, "way": way}
    if isinstance(value, np.ndarray):
        return {KIND: REFERENCE, "there": "data"}
    if is_tensor(value) and value.shape.num_elements() * value.dtype.size > _INLINE_BYTES:
        array = np.asarray(value.numpy())
        if not array.dtype.hasobject:
            return _refer_to_tensor(graph, array)
    try:
        return encode(value)
    except NotPlain as error:
        reference = {KIND: REFERENCE, "there": str(error), "code": callable(value)}
        digest = opaque_digest(value)
        return {**reference, "is": digest} if digest else reference


def _refer_to_tensor(graph: Graph, array: np.ndarray) -> dict[str, str]:
    digest = digest_of(array)
    if array.nbytes > SMALL_BYTES:
        return {KIND: REFERENCE, "there": "tensor", "is": digest}
    graph.tensors[digest] = array
    return {KIND: REFERENCE, "tensor": digest}


class _Writer:
    def __init__(self, graph: Graph, entries: Entries, arrays: Mapping[str, np.ndarray]) -> None:
        self._graph = graph
        self._entries = entries
        self._arrays = arrays
        self._objects: dict[str, Any] = {}

    def write(self) -> dict[int, Node]:
        # Lists first: an iterator that is made over one is set to a place in it.
        for way, entry in sorted(self._entries.items(), key=_is_no_list):
            thing = self._object(way)
            if thing is not MISSING and not _is_much(entry["state"]):
                self._write(thing, entry)
        return {
            id(thing): Node(way, entry["label"], thing, self._graph.kind(entry["kind"]))
            for way, entry in self._entries.items()
            if (thing := self._objects[way]) is not MISSING
        }

    def _write(self, thing: Any, entry: dict[str, Any]) -> None:
        kind = self._graph.kind(entry["kind"])
        if isinstance(kind, Numbers):
            values = self._arrays.get(entry["state"]["is"])
            if values is not None and kind.fits(thing, values):
                kind.put(thing, values)
            return
        try:
            kind.write(thing, entry["state"], self._value)
        except (CannotMake, AttributeError, KeyError, TypeError, ValueError):
            return

    def _value(self, stored: Any, present: Any) -> Any:
        kind = stored.get(KIND) if isinstance(stored, dict) else None
        if kind == "tuple":
            # What stays as it is stays in its place.
            places = chain(present if isinstance(present, tuple) else (), repeat(MISSING))
            return tuple(map(self._value, stored["items"], places))
        there = present if kind == REFERENCE else MISSING
        return decode(stored, refer=functools.partial(self._resolve_reference, there))

    def _resolve_reference(self, present: Any, reference: Mapping[str, Any]) -> Any:
        if "tensor" in reference:
            return make_tensor(self._arrays[reference["tensor"]])
        thing = self._object(reference["way"]) if "way" in reference else MISSING
        thing = present if thing is MISSING else thing
        if thing is MISSING:
            raise CannotMake
        return thing

    def _object(self, way: str) -> Any:
        """The object on this way: that of the graph, or a new one; `MISSING` where neither is."""
        if way in self._objects:
            return self._objects[way]
        entry, node = self._entries.get(way), self._graph.nodes.get(way)
        if node is not None and (entry is None or _fits(node, entry, self._arrays)):
            self._objects[way] = node.thing
            return node.thing
        self._objects[way] = MISSING
        if entry is not None:
            with contextlib.suppress(CannotMake, KeyError, TypeError, ValueError):
                made = self._graph.kind(entry["kind"]).make(entry, self._value)
                self._objects[way] = made
        return self._objects[way]


def _is_no_list(item: tuple[str, Mapping[str, Any]]) -> bool:
    return bool(item[1]["kind"] != Sequences.name)


def _is_much(state: Any) -> bool:
    return isinstance(state, dict) and "much" in state


def _fits(node: Node, entry: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bool:
    """Whether an object can be brought into the state of an entry, in place."""
    if node.kind.name != entry["kind"] or entry["kind"] == "iterator":
        return False
    if isinstance(node.kind, Numbers) and entry["state"] is not None:
        values = arrays.get(entry["state"]["is"])
        return values is None or node.kind.fits(node.thing, values)
    cls = name_in_module(type(node.thing))
    return cls is None or cls == entry.get("class")
