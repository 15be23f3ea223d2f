"""What goes over for one training: a parcel, and the surroundings of the kernel.

parcel.json, carried_code.py, files      what the child gets
surroundings.state                       search path, settings, random state
end/                                     the same, on the way back; its parcel.json comes last
"""

import linecache
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec

from fitguard.keras.snapshots.content import Content
from fitguard.keras.snapshots.file import read_snapshot, write_snapshot
from fitguard.keras.state.randomness import read_random
from fitguard.notebook.parcel.errors import CannotCarry
from fitguard.notebook.parcel.files import MEMORY, HeldFolder, ParcelFiles, remove_left_behind
from fitguard.notebook.parcel.nodes import Filled, Node, Parcel
from fitguard.notebook.parcel.packing import Packer
from fitguard.notebook.parcel.unpacking import Unpacker
from fitguard.notebook.settings import read_settings

_SURROUNDINGS = "surroundings.state"
_END = "end"


class Request:
    """The kernel's side.

    Args:
        place: Where its folder is made; it goes with `remove`.
        main: The module of the notebook.
        memory: A file system in memory, for large arrays.
    """

    def __init__(self, place: Path, main: ModuleType, memory: Path = MEMORY) -> None:
        place.mkdir(parents=True, exist_ok=True)
        for left in (place, memory):
            remove_left_behind(left)
        self._held = HeldFolder(place)
        self.folder = self._held.path
        self._main = main
        self._files = ParcelFiles(self.folder, memory)
        self._packer = Packer(self._files, main)

    def send(self, content: Mapping[str, Any]) -> None:
        """Pack and write what the child gets, by name.

        Raises:
            CannotCarry: where some of it cannot go over.
        """
        pairs: list[Node] = []
        for name, value in content.items():
            pairs += [name, self._packer.node(value, name)]
        surroundings = {
            "path": list(sys.path),
            "settings": read_settings(),
            "random": read_random(),
            "globals": list(self._packer.globals),
        }
        write_snapshot(self.folder / _SURROUNDINGS, Content(document=surroundings))
        _write(self._files, self._packer.parcel(Filled("dict", pairs)))

    def try_to_pack(self, value: Any, name: str) -> None:
        """Pack a value that `send` will be given.

        Raises:
            CannotCarry: where it cannot go over.
        """
        self._packer.node(value, name)

    def answer(self, more: Mapping[int, Any] | None = None) -> "Visit":
        """What came back; objects of the kernel's are changed as it is unpacked.

        Args:
            more: Objects that the child has numbered without having got them from here.
        """
        originals = {**dict(enumerate(self._packer.objects)), **(more or {})}
        return Visit(self.folder / _END, self._main, originals)

    def remove(self) -> None:
        """All files."""
        self._files.remove()
        self._held.remove()


class Visit:
    """A parcel that has arrived, with the surroundings that it came with."""

    def __init__(
        self, folder: Path, main: ModuleType, originals: Mapping[int, Any] | None = None
    ) -> None:
        self._files = ParcelFiles(folder)
        self.surroundings = read_snapshot(folder / _SURROUNDINGS).document
        self._folder = folder
        self._main = main
        parcel = msgspec.json.decode(self._files.document.read_bytes(), type=Parcel)
        self._unpacker = Unpacker(parcel, self._files.code, main, originals)
        self._content = parcel.content

    @property
    def late_states(self) -> dict[int, dict[str, Any]]:
        """Values of variables that a model does not have yet, by its `id`."""
        return self._unpacker.late_states

    def content(self) -> dict[str, Any]:
        """What was packed, by name."""
        node = self._content
        assert isinstance(node, Filled)
        items = [self._unpacker.value(item) for item in node.items]
        _remember_source(self._files.code)
        return dict(zip(items[::2], items[1::2], strict=True))

    def answer(
        self,
        content: Mapping[str, Any],
        *,
        numbers: Mapping[int, int] | None = None,
        new: Iterable[Any] = (),
    ) -> None:
        """Send back what can be carried, by name, and the names of the rest.

        Args:
            numbers: Of objects that the kernel will have, by their `id` here.
            new: Objects to be sent whole, though the kernel had them.
        """
        folder = self._folder / _END
        shutil.rmtree(folder, ignore_errors=True)
        # Not in memory: it must outlive this process.
        files = ParcelFiles(folder, memory=None)
        known = {id(value): number for number, value in self._unpacker.objects.items()}
        for value in new:
            known.pop(id(value), None)
        packer = Packer(files, self._main, {**known, **(numbers or {})}, lenient=True)
        pairs: list[Node] = []
        left: list[str] = []
        for name, value in content.items():
            try:
                node = packer.node(value, name)
            except CannotCarry:
                left.append(name)
            else:
                pairs += [name, node]
        surroundings = {"random": read_random(), "left": left}
        write_snapshot(folder / _SURROUNDINGS, Content(document=surroundings))
        _write(files, packer.parcel(Filled("dict", pairs)))


def _write(files: ParcelFiles, parcel: Parcel) -> None:
    temporary = files.document.with_suffix(".part")
    temporary.write_bytes(msgspec.json.encode(parcel))
    temporary.replace(files.document)


def _remember_source(code: Path) -> None:
    """The file goes, and functions that came with it stay: TensorFlow asks for their source."""
    if code.exists():
        text = code.read_text()
        linecache.cache[str(code)] = (len(text), None, text.splitlines(keepends=True), str(code))
