"""A disk in small: what is done to it, and the tree of files that comes of it.

Folders hold names of inodes, files hold bytes. A write is one `Extend`, where the file grows, and
a `Fill` for each block: a power cut may leave any of them away.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

ROOT = 0


@dataclass(frozen=True)
class Enter:
    """A name in a folder: of a new file or folder, or a further one of a file."""

    folder: int
    name: str
    inode: int


@dataclass(frozen=True)
class Leave:
    """A name goes."""

    folder: int
    name: str


@dataclass(frozen=True)
class Move:
    """A rename, which is there or not."""

    old_folder: int
    old_name: str
    folder: int
    name: str
    inode: int


@dataclass(frozen=True)
class Extend:
    """A file has more bytes; until they are written, zeros."""

    inode: int
    size: int


@dataclass(frozen=True)
class Fill:
    """A block, or a part of one."""

    inode: int
    offset: int
    data: bytes


@dataclass(frozen=True)
class Cut:
    """A file has another length."""

    inode: int
    size: int


@dataclass(frozen=True)
class Sync:
    """`fsync` of a file or a folder has returned."""

    inode: int


@dataclass(frozen=True)
class Promise:
    """From here on, this must be found after any power cut."""

    kind: str
    value: object


Naming = Enter | Leave | Move
Writing = Extend | Fill | Cut
Operation = Naming | Writing | Sync | Promise


def folders_of(operation: Naming) -> set[int]:
    """The folders whose names it changes."""
    if isinstance(operation, Move):
        return {operation.old_folder, operation.folder}
    return {operation.folder}


@dataclass
class Tree:
    """What is on the disk."""

    folders: dict[int, dict[str, int]] = field(default_factory=dict)
    files: dict[int, bytearray] = field(default_factory=dict)

    def apply(self, operation: Operation) -> None:
        """Do it; a file whose name was lost is written all the same."""
        match operation:
            case Enter(folder, name, inode):
                self.folders.setdefault(folder, {})[name] = inode
            case Leave(folder, name):
                self.folders.setdefault(folder, {}).pop(name, None)
            case Move(old_folder, old_name, folder, name, inode):
                self.folders.setdefault(old_folder, {}).pop(old_name, None)
                self.folders.setdefault(folder, {})[name] = inode
            case Extend(inode, size):
                self._resize(inode, max(size, len(self._data(inode))))
            case Cut(inode, size):
                self._resize(inode, size)
            case Fill(inode, offset, data):
                self._resize(inode, max(offset + len(data), len(self._data(inode))))
                self._data(inode)[offset : offset + len(data)] = data

    def copy(self) -> "Tree":
        """One whose files and folders can be replaced; what is in them is shared."""
        return Tree(dict(self.folders), dict(self.files))

    def redo(self, inode: int, operations: Iterable[Operation]) -> None:
        """Give a file or a folder the content that these operations make of it."""
        alone = Tree()
        for operation in operations:
            alone.apply(operation)
        self.folders[inode] = alone.folders.get(inode, {})
        self.files[inode] = alone.files.get(inode, bytearray())

    def contents(self, kinds: dict[int, bool]) -> dict[str, bytes | None]:
        """Content by path, None for a folder; `kinds` says which inodes are folders."""
        found: dict[str, bytes | None] = {}
        waiting = [("", ROOT)]
        while waiting:
            above, folder = waiting.pop()
            for name, inode in self.folders.get(folder, {}).items():
                path = f"{above}{name}"
                if kinds[inode]:
                    found[path] = None
                    waiting.append((f"{path}/", inode))
                else:
                    found[path] = bytes(self.files.get(inode, b""))
        return found

    def _data(self, inode: int) -> bytearray:
        return self.files.setdefault(inode, bytearray())

    def _resize(self, inode: int, size: int) -> None:
        data = self._data(inode)
        del data[size:]
        data.extend(bytes(size - len(data)))


def read_contents(home: Path) -> dict[str, bytes | None]:
    """Likewise of a real folder."""
    return {
        str(path.relative_to(home)): None if path.is_dir() else path.read_bytes()
        for path in home.rglob("*")
    }


def write_contents(home: Path, contents: dict[str, bytes | None]) -> None:
    """Make a real folder of it."""
    home.mkdir()
    for path in sorted(contents):
        content = contents[path]
        if content is None:
            (home / path).mkdir()
        else:
            (home / path).write_bytes(content)
