"""For tests of what goes over: a notebook of cells, and a parcel from one process to another."""

import itertools
import linecache
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from fitguard.notebook.parcel.files import ParcelFiles
from fitguard.notebook.parcel.nodes import Parcel
from fitguard.notebook.parcel.packing import Packer
from fitguard.notebook.parcel.unpacking import Unpacker

_numbers = itertools.count(1)


class Notebook:
    """Runs cells as a kernel does: in `__main__`, with their source in `linecache`."""

    def __init__(self) -> None:
        self.main = ModuleType("__main__")

    def run(self, cell: str) -> None:
        name = f"/tmp/ipykernel_{next(_numbers)}/cell.py"
        linecache.cache[name] = (len(cell), None, cell.splitlines(keepends=True), name)
        with self.as_main():
            exec(compile(cell, name, "exec"), vars(self.main))

    def __getitem__(self, name: str) -> Any:
        return vars(self.main)[name]

    @contextmanager
    def as_main(self) -> Iterator[None]:
        before = sys.modules["__main__"]
        sys.modules["__main__"] = self.main
        try:
            yield
        finally:
            sys.modules["__main__"] = before


class Sent:
    """An object on the other side, as a file of JSON and others carried it there."""

    def __init__(self, value: Any, folder: Path, notebook: Notebook | None = None) -> None:
        self._notebook = notebook or Notebook()
        self._folder = folder
        files = ParcelFiles(folder / "there", memory=None)
        self.packer = Packer(files, self._notebook.main)
        with self._notebook.as_main():
            self.text = _written(self.packer.parcel(self.packer.node(value, "value")))
        self.other = Notebook()
        self._unpacker, self.value = _unpacked(self.text, files, self.other, {})

    @property
    def late_states(self) -> dict[int, dict[str, Any]]:
        """Values of variables that a model does not have yet."""
        return self._unpacker.late_states

    def back(self, value: Any) -> Any:
        """What the first side gets when the other sends an object back."""
        files = ParcelFiles(self._folder / "back", memory=None)
        known = {id(thing): number for number, thing in self._unpacker.objects.items()}
        packer = Packer(files, self.other.main, known, lenient=True)
        with self.other.as_main():
            text = _written(packer.parcel(packer.node(value, "value")))
        originals = dict(enumerate(self.packer.objects))
        return _unpacked(text, files, self._notebook, originals)[1]


def _written(parcel: Parcel) -> bytes:
    return msgspec.json.encode(parcel)


def _unpacked(
    text: bytes, files: ParcelFiles, notebook: Notebook, originals: dict[int, Any]
) -> tuple[Unpacker, Any]:
    parcel = msgspec.json.decode(text, type=Parcel)
    unpacker = Unpacker(parcel, files.code, notebook.main, originals)
    with notebook.as_main():
        return unpacker, unpacker.value(parcel.content)
