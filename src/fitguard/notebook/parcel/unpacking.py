"""Nodes become objects again."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from fitguard.notebook.parcel.arrays import fill_array, make_array
from fitguard.notebook.parcel.containers import fill_container, make_container
from fitguard.notebook.parcel.frames import make_frame
from fitguard.notebook.parcel.generators import fill_generator, make_generator
from fitguard.notebook.parcel.imports import make_import
from fitguard.notebook.parcel.instances import fill_instance, make_instance
from fitguard.notebook.parcel.keras_objects import fill_keras, make_keras, make_part
from fitguard.notebook.parcel.makers import make_plain
from fitguard.notebook.parcel.models import fill_history, fill_model, make_history, make_model
from fitguard.notebook.parcel.nodes import (
    Array,
    Code,
    Filled,
    Frame,
    Generator,
    History,
    Import,
    Instance,
    KerasObject,
    Made,
    Model,
    Node,
    Parcel,
    PartOf,
    Shared,
)
from fitguard.notebook.parcel.running_code import fill_code, make_code
from fitguard.notebook.parcel.tensors import fill_tensor, make_tensor, make_type

_MAKE: dict[type, Callable[..., Any]] = {
    Import: make_import,
    PartOf: make_part,
    Filled: make_container,
    Instance: make_instance,
    Code: make_code,
    Frame: make_frame,
    Generator: make_generator,
    KerasObject: make_keras,
    Model: make_model,
    History: make_history,
}
_FILL: dict[type, Callable[..., None]] = {
    Filled: fill_container,
    Instance: fill_instance,
    Code: fill_code,
    Generator: fill_generator,
    KerasObject: fill_keras,
    Model: fill_model,
    History: fill_history,
}
_OF_NUMPY = ("array", "scalar")


class Unpacker:
    """Unpacks one parcel.

    Args:
        folder: Where its files are.
        main: The module that carried code belongs to.
        originals: What this side has packed before, by number: it is changed, not copied.
    """

    def __init__(
        self,
        parcel: Parcel,
        code: Path,
        main: ModuleType,
        originals: Mapping[int, Any] | None = None,
    ) -> None:
        self.main = main
        self.late_states: dict[int, dict[str, np.ndarray]] = {}
        self.objects: dict[int, Any] = {}
        self._table = parcel.table
        self._code = code
        self._originals = originals or {}
        self._begun: set[int] = set()
        self._waiting: list[tuple[ModuleType, str, Shared]] = []

    def value(self, node: Node) -> Any:
        """The value that a node stands for."""
        if isinstance(node, Shared):
            return self._object(node.number)
        if isinstance(node, Made):
            return make_type(node, self) if node.of.startswith("tf.") else make_plain(node, self)
        return _MAKE[type(node)](node, self) if type(node) in _MAKE else node

    def bind(self, module: ModuleType, name: str, node: Node) -> None:
        """Give a global name its value; later, where it is just being made."""
        if isinstance(node, Shared) and node.number in self._begun:
            self._waiting.append((module, name, node))
        else:
            setattr(module, name, self.value(node))

    def code_file(self) -> Path:
        """The file of carried code."""
        return self._code

    def path(self, name: str) -> Path:
        """Where a file of the parcel is."""
        return Path(name)

    def _object(self, number: int) -> Any:
        if number in self.objects:
            return self.objects[number]
        if number in self._begun:
            raise RecursionError(f"Object {number} of the parcel is needed to make itself.")
        self._begun.add(number)
        entry = self._table[number]
        origin = -1 if entry.origin is None else entry.origin
        known = entry.origin is not None and origin in self._originals
        value = self._originals[origin] if known else self._made(entry.node)
        self.objects[number] = value
        self._begun.discard(number)
        self._fill(value, entry.node, known)
        self._bind_waiting()
        return value

    def _made(self, node: Node) -> Any:
        if isinstance(node, Array):
            make = make_array if node.kind in _OF_NUMPY else make_tensor
            return make(node, self)
        return self.value(node)

    def _fill(self, value: Any, node: Node, known: bool) -> None:
        if isinstance(node, Array):
            # One that was just made has its values, and writing to a map costs memory.
            if known:
                (fill_array if node.kind in _OF_NUMPY else fill_tensor)(value, node, self)
        elif type(node) in _FILL:
            _FILL[type(node)](value, node, self)

    def _bind_waiting(self) -> None:
        ready = [waiting for waiting in self._waiting if waiting[2].number in self.objects]
        for module, name, node in ready:
            self._waiting.remove((module, name, node))
            setattr(module, name, self.objects[node.number])
