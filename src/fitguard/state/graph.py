"""The one walk: all objects that a training can reach and change, each with the way to it.

From the model and its callbacks over attributes, containers, methods, closures and the globals that
the user's functions name. The same script gives the same ways in each process.
"""

import argparse
import array
import collections
import hashlib
import io
import types
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from fitguard.contract.held_variables import is_fixed, may_hold, unwrap_variable
from fitguard.contract.libraries import is_a, package_of
from fitguard.contract.model_parts import is_part_class, unwrap_proxy
from fitguard.contract.random_sources import is_random_source
from fitguard.contract.traces import holds_function
from fitguard.state.bulk import all_plain, is_much, is_plain, is_plain_type, items_of
from fitguard.state.code_kinds import Functions, Ways
from fitguard.state.containers import (
    Bytes,
    Mappings,
    MemoryFiles,
    ObjectArrays,
    RawNumbers,
    Sequences,
    Sets,
)
from fitguard.state.iterators import Iterators, knows_position
from fitguard.state.kinds import Cells, Classes, Files, Globals, Kind, Names, RandomSources
from fitguard.state.numbers import NumpyArrays, Variables
from fitguard.state.objects import Objects, Parts, Skipped
from fitguard.state.unkept import entropy_of, is_read_once, why_unkept
from fitguard.state.users import is_users

_LONGEST_WAY = 200
_OURS = "fitguard"
_WAYS = (
    types.MethodType,
    partial,
    tuple,
    frozenset,
    staticmethod,
    classmethod,
    property,
    types.MappingProxyType,
)
_CONTAINERS = (list, tuple, dict, deque, set, frozenset)
_NAMESPACES = (
    types.SimpleNamespace,
    argparse.Namespace,
    collections.UserDict,
    collections.UserList,
)


class TooMuch(Exception):
    """More objects can be reached than can be looked at."""


@dataclass(frozen=True)
class Node:
    """An object that can change.

    Args:
        way: Its name in snapshots.
        label: Its name for people.
    """

    way: str
    label: str
    thing: Any
    kind: Kind


class Graph:
    """The objects that can be reached now.

    Args:
        roots: Where the ways begin.
        skipped: Attributes of a callback that are kept elsewhere; None for all of them.
        without: Objects, by id, that are kept elsewhere: variables of the model, data.
        known: Ways that objects have had before, by id: they stay the same.

    Attributes:
        nodes: By way.
        unkept: Says what can be reached and cannot be kept, each once.
        tensors: Small ones that were read, by what they are recognized by.

    Raises:
        TooMuch: where they are more than `most_objects`.
    """

    most_objects: ClassVar[int] = 100_000

    def __init__(
        self,
        roots: Mapping[str, Any],
        *,
        skipped: Skipped = lambda _: (),
        without: Collection[int] = (),
        known: Mapping[int, Node] | None = None,
    ) -> None:
        self.nodes: dict[str, Node] = {}
        self.unkept: dict[str, None] = {}
        self.tensors: dict[str, np.ndarray] = {}
        self._ids: dict[int, Node] = {}
        self._known = known or {}
        self._without = without
        self._scopes: dict[int, Names] = {}
        self._kinds = _Kinds(skipped, self._names_of)
        deque(self.walk(roots.items()), maxlen=0)

    def way_of(self, thing: Any) -> str | None:
        """The way to an object; None where it is none of them."""
        node = self._ids.get(id(self._unwrap(thing)))
        return node.way if node is not None else None

    def kind(self, name: str) -> Kind:
        """The kind with this name."""
        return self._kinds.named[name]

    @property
    def by_id(self) -> dict[int, Node]:
        """The nodes by the id of their object, which they keep alive."""
        return self._ids

    def _names_of(self, scope: dict[str, Any]) -> Names:
        return self._scopes.setdefault(id(scope), Names(scope))

    def walk(self, roots: Iterable[tuple[str, Any]]) -> Iterator[Node]:
        """Find more objects: each comes once, when it is found, before what it holds."""
        waiting = deque((name, name, thing) for name, thing in roots)
        while waiting:
            way, label, thing = waiting.popleft()
            thing = self._unwrap(thing)
            if id(thing) in self._ids or id(thing) in self._without:
                continue
            try:
                kind = self._kind(thing)
            except Exception as error:
                self._note_failure(label, error)
                continue
            if kind is None:
                if why := why_unkept(thing):
                    self.unkept.setdefault(f"{label} is {why}")
                continue
            if kind.name == Functions.name and (entropy := entropy_of(thing)):
                self.unkept.setdefault(f"{thing.__qualname__} draws from {entropy}")
            node = self._node(way, label, thing, kind)
            yield node
            try:
                waiting.extend(list(self._edges(node)))
            except Exception as error:
                self._note_failure(label, error)

    def _unwrap(self, thing: Any) -> Any:
        """The object itself, behind what TensorFlow and Keras put around it."""
        thing = unwrap_proxy(thing)
        variable = unwrap_variable(thing)
        return thing if variable is None else variable

    def _kind(self, thing: Any) -> Kind | None:
        """None for what has no state, and for what is not looked into."""
        return self._kinds.of(thing)

    def _note_failure(self, label: str, error: Exception) -> None:
        """An object may raise what it likes when it is looked at."""
        self.unkept.setdefault(f"{label} raises {type(error).__name__} when it is read")

    def _node(self, way: str, label: str, thing: Any, kind: Kind) -> Node:
        known = self._known.get(id(thing))
        if known is not None and known.thing is thing:
            way, label = known.way, known.label
        while way in self.nodes:
            way += "'"
        node = Node(way, label, thing, kind)
        self._ids[id(thing)] = node
        if kind.has_state:
            self.nodes[way] = node
        if len(self._ids) > self.most_objects:
            raise TooMuch
        return node

    def _edges(self, node: Node) -> Iterator[tuple[str, str, Any]]:
        # A list of thousands that are linked would have ways of thousands of steps.
        begin = node.way if len(node.way) < _LONGEST_WAY else f"…{_digest(node.way)}"
        for name, held in self._interesting(node):
            way = name if name.startswith("::") else f"{begin}.{name}"
            yield way, self._label(node, name), held

    def _interesting(self, node: Node) -> Iterator[tuple[str, Any]]:
        """What it holds, but for numbers and texts."""
        thing = node.thing
        is_long = isinstance(thing, _CONTAINERS) and len(thing) > 1
        if is_long and (all_plain(items_of(thing)) or self._is_data(thing)):
            return
        for name, held in node.kind.parts(thing):
            if not is_plain(held):
                yield str(name), held

    def _is_data(self, container: Any) -> bool:
        """Whether it is too long for a look at each item."""
        return not isinstance(container, tuple | frozenset) and is_much(container)

    def _label(self, node: Node, name: str) -> str:
        thing = node.thing
        if name.startswith("::"):
            return f"the global {name.rpartition('.')[2].lstrip(':')}"
        if name.startswith("["):
            return node.label
        if isinstance(thing, types.FunctionType):
            return f"{name.strip('<>')}, which {thing.__qualname__} uses"
        if isinstance(node.kind, Objects | Parts | Classes):
            cls = thing if isinstance(thing, type) else type(thing)
            return f"{cls.__qualname__}.{name}"
        return node.label


class _Kinds:
    """Which kind an object is of."""

    def __init__(self, skipped: Skipped, names_of: Any) -> None:
        self._containers: tuple[tuple[type | tuple[type, ...], Kind], ...] = (
            ((list, deque), Sequences()),
            (dict, Mappings()),
            (set, Sets()),
            (bytearray, Bytes()),
            (array.array, RawNumbers()),
            ((io.StringIO, io.BytesIO), MemoryFiles()),
            (types.CellType, Cells()),
            (Names, Globals()),
        )
        self._random, self._arrays, self._variables = RandomSources(), NumpyArrays(), Variables()
        self._functions, self._ways, self._classes = Functions(names_of), Ways(), Classes()
        self._parts, self._objects = Parts(skipped), Objects()
        self._object_arrays = ObjectArrays()
        self._iterators, self._files = Iterators(), Files()
        kinds = [held for held in vars(self).values() if isinstance(held, Kind)]
        kinds += [kind for _, kind in self._containers]
        self.named = {kind.name: kind for kind in kinds}

    def of(self, thing: Any) -> Kind | None:
        """None for what has no state, and for what is not looked into."""
        cls: type = type(thing)
        if is_plain_type(cls):
            return None
        for classes, kind in self._containers:
            if isinstance(thing, classes):
                return kind
        if isinstance(thing, types.FunctionType):
            return self._functions if is_users(thing) else self._ways
        if isinstance(thing, type):
            return self._classes if is_users(thing) else None
        if isinstance(thing, _WAYS) or holds_function(thing):
            return self._ways
        if isinstance(thing, np.ndarray):
            return self._object_arrays if thing.dtype == object else self._arrays
        return self._of_instance(thing, cls)

    def _of_instance(self, thing: Any, cls: type) -> Kind | None:
        if is_random_source(thing):
            return self._random
        if unwrap_variable(thing) is not None:
            return self._variables
        if knows_position(thing):
            return self._iterators
        if isinstance(thing, io.IOBase):
            return self._files
        if is_read_once(thing) or package_of(cls) == _OURS:
            return None
        part = is_part_class(cls)
        if part is not None:
            is_held = hasattr(thing, "__dict__") and (may_hold(cls) or is_a(thing, "Callback"))
            return self._parts if part and is_held and not is_fixed(cls) else None
        return self._objects if is_users(cls) or isinstance(thing, _NAMESPACES) else None


def _digest(way: str) -> str:
    return hashlib.blake2b(way.encode(), digest_size=12).hexdigest()
