"""The walk inside of one process: all that Python code can reach and change.

A pipeline may run Python (`py_function`, `numpy_function`, `from_generator`). Before that code runs
once more, all objects it could change are looked for: those of installed libraries too, as they
need no way that is the same in each process.
"""

import contextlib
import io
import types
from collections.abc import Iterable, Iterator
from typing import Any

from fitguard.contract.libraries import is_a, package_of
from fitguard.state.bulk import is_bulk, is_plain, items_of
from fitguard.state.code_kinds import Functions
from fitguard.state.containers import Sets
from fitguard.state.graph import Graph, Node
from fitguard.state.kinds import SOME, Files, Kind, Part, Stored
from fitguard.state.numbers import Variables
from fitguard.state.objects import DATA, Objects, Parts
from fitguard.state.users import is_users

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
_NO_NAMES = ("", "func", "args", "keywords", "defaults", "named defaults")


class Reach(Graph):
    """What code can reach; each object is labelled with the name it was found under.

    Args:
        deep: Whether what lies in containers is looked at.

    Attributes:
        bulks: What the containers hold of which only the types were looked at.
    """

    most_objects = 200_000

    def __init__(self, *, deep: bool = True) -> None:
        super().__init__({})
        self._deep = deep
        self.bulks: list[list[Any]] = []

    def follow(self, roots: Iterable[object]) -> Iterator[Node]:
        """All objects that the code of `roots` can reach, values without state left out.

        Raises:
            TooMuch: where they are more than `most_objects`.
        """
        names = ((getattr(root, "__name__", type(root).__name__), root) for root in roots)
        return self.walk((name, root) for name, root in names if not is_plain(root))

    def _kind(self, thing: Any) -> Kind | None:
        cls: type = type(thing)
        if isinstance(thing, list | dict | set):
            return _SETS if isinstance(thing, set) else super()._kind(thing)
        if isinstance(thing, io.IOBase):
            # What is only written to is a log: no line of it is taken back.
            return self.kind(Files.name) if not thing.closed and thing.readable() else OPAQUE
        if isinstance(thing, types.FunctionType) and package_of(thing) not in _NOT_FOLLOWED:
            return super()._kind(thing) if is_users(thing) else _LIBRARY_FUNCTIONS
        if is_a(thing, *DATA) and is_users(cls):
            return self.kind(Objects.name)
        kind = super()._kind(thing)
        if kind is None:
            return self._kind_of_unkept(thing, cls)
        if isinstance(kind, Parts) and not is_users(cls):
            return _LIBRARY_PARTS
        # Keras makes attributes when it builds a part: none of them may be set back alone.
        is_unbuilt = isinstance(kind, Parts) and not vars(thing).get("built", True)
        return _LedThrough(kind) if is_unbuilt else kind

    def _kind_of_unkept(self, thing: Any, cls: type) -> Kind:
        if package_of(cls) == "tensorflow" and hasattr(cls, "read_value"):
            return self.kind(Variables.name)
        if isinstance(thing, type) or package_of(cls) in _NOT_FOLLOWED:
            return OPAQUE
        return self.kind(Objects.name) if is_users(cls) else _LIBRARY_OBJECTS

    def _node(self, way: str, label: str, thing: Any, kind: Kind) -> Node:
        # Many may lie on ways that look alike: to tell them apart would take long.
        return super()._node(str(len(self.by_id)), label, thing, kind)

    def _is_data(self, container: Any) -> bool:
        items = items_of(container)
        if is_bulk(items):
            self.bulks.append(items)
            return True
        return not self._deep

    def _note_failure(self, label: str, error: Exception) -> None:
        raise error

    def _label(self, node: Node, name: str) -> str:
        if name.startswith("[") or (name in _NO_NAMES and not isinstance(node.kind, Objects)):
            return node.label
        return name.rpartition(".")[2].strip("<>:")


def reach(roots: Iterable[object]) -> Iterator[Node]:
    """All objects that the code of `roots` can reach, one by one."""
    return Reach().follow(roots)


class _LedThrough(Kind):
    """Objects whose own state is left alone, unlike that of what they hold.

    Args:
        kind: What they are of.
    """

    has_state = False

    def __init__(self, kind: Kind) -> None:
        self._kind = kind

    def parts(self, thing: Any) -> Iterator[Part]:
        return self._kind.parts(thing)


class _LibraryParts(Kind):
    """Layers, models and the like of Keras' own: only their variables move."""

    has_state = False

    def parts(self, thing: Any) -> Iterator[Part]:
        variables: Any = ()
        with contextlib.suppress(ValueError):  # a model of tf_keras that is not built yet
            variables = getattr(thing, "variables", ())
        if isinstance(variables, list | tuple):
            yield from ((f"[{number}]", one) for number, one in enumerate(variables))


class _LibraryObjects(Objects):
    def read(self, thing: Any, stored: Stored) -> Any:
        # What a library's object has added is a cache of its own: it stays.
        return {**super().read(thing, stored), SOME: True}


class _WalkedSets(Sets):
    def parts(self, thing: Any) -> Iterator[Part]:
        return ((f"[{number}]", item) for number, item in enumerate(thing))


OPAQUE = _LedThrough(Kind())
"""The kind of what is not looked into."""
_LIBRARY_FUNCTIONS = _LedThrough(Functions(None))
_LIBRARY_OBJECTS = _LibraryObjects()
_LIBRARY_PARTS = _LibraryParts()
_SETS = _WalkedSets()
