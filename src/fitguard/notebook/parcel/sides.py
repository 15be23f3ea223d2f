"""What the kinds of objects may ask of the side that packs, and of the side that unpacks."""

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

from fitguard.notebook.parcel.nodes import Node


class NotMine:
    """Says that an object is of another kind."""


Packed = Node | type[NotMine]


class Packing(Protocol):
    """The side that packs.

    Args:
        main: The module whose code is carried as source.
        lenient: Leave attributes out that cannot be carried; the way back does so.
    """

    main: ModuleType
    lenient: bool

    def node(self, value: Any, where: str) -> Node:
        """How a value is written down; `where` is what the user calls it."""

    def file(self, suffix: str, size_bytes: int) -> Path:
        """A new file, where there is room for so much."""

    def source(self, text: str) -> int:
        """Add a piece of source to the file of carried code; the line where it begins."""

    def has(self, value: Any) -> bool:
        """Whether the other side has this object already."""

    def part_of(self, value: Any) -> tuple[Any, str, int] | None:
        """The model in this parcel that the value is a part of, and which one."""

    def named(self, name: str, where: str) -> Node:
        """What a global name of `main` holds."""

    def assigns(self, names: Iterable[str]) -> None:
        """Carried code gives these global names a value."""


class Unpacking(Protocol):
    """The side that unpacks.

    Args:
        late_states: Values of variables that a model does not have yet, by its `id`.
    """

    main: ModuleType
    late_states: dict[int, dict[str, np.ndarray]]

    def value(self, node: Node) -> Any:
        """The value that a node stands for."""

    def path(self, name: str) -> Path:
        """Where a file of the parcel is."""

    def code_file(self) -> Path:
        """The file of carried code."""

    def bind(self, module: ModuleType, name: str, node: Node) -> None:
        """Give a global name its value, as soon as there is one."""
