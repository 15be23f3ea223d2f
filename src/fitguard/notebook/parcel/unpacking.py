"""A stream of pickle becomes objects again."""

import pickle
from collections.abc import Mapping
from pathlib import Path
from types import CellType, ModuleType
from typing import Any, BinaryIO

import numpy as np

from fitguard.notebook.parcel.kinds import KINDS
from fitguard.notebook.parcel.originals import fill
from fitguard.notebook.parcel.packing import AGAIN, END, GLOBALS, ORIGINAL, WAITING, Number


class Unpacker(pickle.Unpickler):
    """Unpacks one parcel.

    Args:
        main: The module of the notebook.
        originals: What this side has packed before, by number: it is changed, not copied.
        feed: Where datasets that stayed on the other side are read from.

    Attributes:
        late_states: Values of variables that a model does not have yet, by its `id`.
    """

    def __init__(
        self,
        stream: BinaryIO,
        main: ModuleType,
        originals: Mapping[Number, Any] | None = None,
        feed: Path | None = None,
    ) -> None:
        super().__init__(stream)
        self.feed = feed
        self.late_states: dict[int, dict[str, np.ndarray]] = {}
        self._main = main
        self._originals = originals or {}
        self._made: dict[Number, Any] = {}
        self._waiting = False

    @property
    def objects(self) -> dict[Number, Any]:
        """All that has a number."""
        memo: dict[Number, Any] = self.memo.copy()  # type: ignore[assignment]
        return {**memo, **self._made}

    def content(self) -> Any:
        """What was packed; originals are changed on the way."""
        content = self.load()
        if self._originals:
            while (changed := self.load()) is not None:
                number, state = changed
                fill(self._originals[number], state, self)
        if self._waiting:
            for holder in (vars(self._main), *self.memo.copy().values()):
                self._fetch(holder)
        return content

    def persistent_load(self, stands_for: Any) -> Any:
        """The object that something in the stream stands for."""
        what, *more = stands_for
        if what == GLOBALS:
            return vars(self._main)
        if what == ORIGINAL:
            return self._originals[more[0]]
        if what == AGAIN:
            return self._made[more[0]]
        if what == WAITING:
            self._waiting = True
            return _Waiting(more[0])
        if what == END:
            return None
        number, packed, _ = more
        self._made[number] = KINDS[what].make(packed, self)
        return self._made[number]

    def _fetch(self, holder: Any) -> None:
        """Put objects where code of their own needed them before they were there."""
        if isinstance(holder, CellType):
            if isinstance(holder.cell_contents, _Waiting):
                holder.cell_contents = self._made[holder.cell_contents.number]
            return
        held: Any = holder if isinstance(holder, dict | list) else getattr(holder, "__dict__", {})
        pairs = enumerate(held) if isinstance(held, list) else held.items()
        for key, value in list(pairs):
            if isinstance(value, _Waiting):
                held[key] = self._made[value.number]


class _Waiting:
    """In the place of an object that is just being made."""

    def __init__(self, number: Number) -> None:
        self.number = number
