"""Objects become nodes."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from fitguard.contract.libraries import is_a
from fitguard.notebook.parcel.arrays import pack_array, was_written_to
from fitguard.notebook.parcel.carried_code import pack_code
from fitguard.notebook.parcel.containers import pack_container
from fitguard.notebook.parcel.definitions import undecorated
from fitguard.notebook.parcel.errors import CannotCarry, cannot_carry
from fitguard.notebook.parcel.files import ParcelFiles
from fitguard.notebook.parcel.frames import is_frame, pack_frame
from fitguard.notebook.parcel.generators import pack_generator
from fitguard.notebook.parcel.imports import pack_import
from fitguard.notebook.parcel.instances import pack_instance
from fitguard.notebook.parcel.keras_objects import pack_keras, pack_part, parts_of
from fitguard.notebook.parcel.makers import pack_plain
from fitguard.notebook.parcel.models import pack_history, pack_model
from fitguard.notebook.parcel.nodes import Entry, Import, Node, Parcel, Shared
from fitguard.notebook.parcel.sides import Packed, Packing
from fitguard.notebook.parcel.tensors import is_constant, pack_tensor, pack_type

_Pack = Callable[[Any, Packing, str], Packed]

_VALUES: tuple[_Pack, ...] = (pack_plain, pack_import, pack_type, pack_part)
"""Without identity: they stand where they are used."""
_OBJECTS: tuple[_Pack, ...] = (
    pack_container,
    pack_array,
    pack_tensor,
    pack_frame,
    pack_model,
    pack_history,
    pack_generator,
    pack_keras,
    pack_code,
    pack_instance,
)
"""With identity: they stand in the table, once."""


class Packer:
    """Packs one parcel.

    Args:
        files: Where its files go.
        main: The module whose code is carried as source.
        origins: Objects that came from the other side, with their numbers there.
        lenient: Leave attributes out that cannot be carried.

    Attributes:
        globals: Names of `main` that carried code uses for values, or gives a value.
        objects: Those with a number, in the order of their numbers.
    """

    def __init__(
        self,
        files: ParcelFiles,
        main: ModuleType,
        origins: Mapping[int, int] | None = None,
        *,
        lenient: bool = False,
    ) -> None:
        self.main = main
        self.lenient = lenient
        self.files = files
        self.globals: dict[str, None] = {}
        self._origins = origins or {}
        self._numbers: dict[int, int] = {}
        self._table: list[Entry | None] = []
        self.objects: list[Any] = []
        self._parts: dict[int, tuple[Any, str, int]] = {}
        self._source = ""

    def node(self, value: Any, where: str) -> Node:
        """How a value is written down."""
        if id(value) in self._numbers:
            return Shared(self._numbers[id(value)])
        for pack in _VALUES:
            node = pack(value, self, where)
            if not isinstance(node, type):
                return node
        return self._shared(value, where)

    def parcel(self, content: Node) -> Parcel:
        """All that was packed."""
        return Parcel(content, [entry for entry in self._table if entry is not None])

    def _shared(self, value: Any, where: str) -> Shared:
        number = len(self._table)
        self._numbers[id(value)] = number
        self._table.append(None)
        # Kept: another object must not get the same `id`.
        self.objects.append(value)
        if is_a(value, "Model"):
            self._parts.update((id(part), (value, *place)) for part, place in parts_of(value))
        try:
            self._table[number] = self._entry(value, where)
        except CannotCarry:
            self._table[number] = Entry(None)
            del self._numbers[id(value)]
            raise
        return Shared(number)

    def _entry(self, value: Any, where: str) -> Entry:
        origin = self._origins.get(id(value))
        if origin is not None and _is_as_it_came(value):
            return Entry(None, origin)
        for pack in _OBJECTS:
            node = pack(value, self, where)
            if not isinstance(node, type):
                return Entry(node, origin)
        raise cannot_carry(value, where)

    def has(self, value: Any) -> bool:
        """Whether the other side has this object already."""
        return id(value) in self._origins

    def part_of(self, value: Any) -> tuple[Any, str, int] | None:
        """The model in this parcel that the value is a part of, and which one."""
        return self._parts.get(id(value))

    def file(self, suffix: str, size_bytes: int) -> Path:
        """A new file, where there is room for so much."""
        return self.files.new(suffix, size_bytes)

    def source(self, text: str) -> int:
        """Add a piece of source to the file of carried code; the line where it begins."""
        line = self._source.count("\n") + 1
        self._source += f"{text}\n\n"
        self.files.code.write_text(self._source)
        return line

    def named(self, name: str, where: str) -> Node:
        """What a global name of `main` holds."""
        value = vars(self.main)[name]
        node = self.node(value, where)
        if not isinstance(node, Import) and not callable(value):
            self.globals[name] = None
        return node

    def assigns(self, names: Iterable[str]) -> None:
        """Carried code gives these global names a value."""
        self.globals.update(dict.fromkeys(names))


def _is_as_it_came(value: Any) -> bool:
    """Whether an object cannot have changed, or is seen not to have."""
    if isinstance(value, np.ndarray):
        return not was_written_to(value)
    tables = isinstance(value, type) or is_frame(value)
    return tables or is_constant(value) or isinstance(undecorated(value), FunctionType)
