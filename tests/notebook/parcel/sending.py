"""For tests of what goes over: a notebook of cells, and a parcel from one process to another."""

import itertools
import linecache
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from fitguard.notebook.parcel.files import ParcelFiles
from fitguard.notebook.parcel.packing import Packer
from fitguard.notebook.parcel.unpacking import Unpacker
from fitguard.state.culprit import culprit

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
    """An object on the other side, as files carried it there."""

    def __init__(self, value: Any, folder: Path, notebook: Notebook | None = None) -> None:
        self._notebook = notebook or Notebook()
        self._folder = folder
        self.files = ParcelFiles(folder / "there", memory=None)
        with self._notebook.as_main(), self.files.create(self.files.content) as stream:
            self.packer = Packer(stream, self.files, self._notebook.main)
            try:
                self.packer.dump(value)
            except Exception:
                raise culprit(value, "value", self.packer.failure) from None
        self.text = self.files.content.read_bytes()
        self.other = Notebook()
        with self.other.as_main(), self.files.open(self.files.content) as stream:
            self._unpacker = Unpacker(stream, self.other.main)
            self.value = self._unpacker.content()

    @property
    def late_states(self) -> dict[int, dict[str, Any]]:
        """Values of variables that a model does not have yet."""
        return self._unpacker.late_states

    def back(self, value: Any) -> Any:
        """What the first side gets when the other sends an object back."""
        try:
            return self._back(value, careful=False)
        except Exception:
            return self._back(value, careful=True)

    def _back(self, value: Any, *, careful: bool) -> Any:
        shutil.rmtree(self._folder / "back", ignore_errors=True)
        files = ParcelFiles(self._folder / "back", memory=None)
        known = {id(thing): number for number, thing in self._unpacker.objects.items()}
        with self.other.as_main(), files.create(files.content) as stream:
            packer = Packer(stream, files, self.other.main, known)
            packer.dump(value)
            packer.dump_changed(careful=careful)
        with self._notebook.as_main(), files.open(files.content) as stream:
            return Unpacker(stream, self._notebook.main, self.packer.objects).content()
