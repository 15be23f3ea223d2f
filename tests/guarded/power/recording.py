"""Takes down what Python code does to the files below a folder, operation by operation.

It stands in for the functions of `os` and for `open`. That nothing passes it by is proven: what was
taken down, done again, must give the folder that is really there (`Recorder.verify`).
"""

import builtins
import io
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from guarded.power.disk import (
    ROOT,
    Cut,
    Enter,
    Extend,
    Fill,
    Leave,
    Move,
    Operation,
    Promise,
    Sync,
    Tree,
    read_contents,
)

BLOCK_BYTES = 512
SHARED_MEMORY = "heartbeat"
"""Is written through memory, and promises nothing."""


class Recorder:
    """The operations below a folder, in their order.

    Attributes:
        kinds: Whether an inode is a folder.
    """

    def __init__(self, home: Path) -> None:
        self.operations: list[Operation] = []
        self.kinds = {ROOT: True}
        self.home = home
        self._inodes = {_identity(os.stat(home)): ROOT}
        self._lock = threading.RLock()

    def promise(self, kind: str, value: object) -> None:
        """What must be found from now on."""
        self.operations.append(Promise(kind, value))

    def verify(self) -> None:
        """Whether all was seen."""
        tree = Tree()
        for operation in self.operations:
            tree.apply(operation)
        seen, real = tree.contents(self.kinds), read_contents(self.home)
        for contents in (seen, real):
            for path in [path for path in contents if path.endswith(SHARED_MEMORY)]:
                del contents[path]
        assert seen == real, "the recorder missed what the code did"

    def opened(self, path: Any, existed: bool, flags: int, file: int) -> None:
        if not existed:
            self._enter(path, _identity(os.fstat(file)), is_folder=False)
        elif flags & os.O_TRUNC and (inode := self._inode(os.fstat(file))) is not None:
            self.operations.append(Cut(inode, 0))

    def wrote(self, file: int, before: int, data: bytes) -> None:
        inode = self._inode(os.fstat(file))
        if inode is None:
            return
        start = os.lseek(file, 0, os.SEEK_CUR) - len(data)
        if start + len(data) > before:
            self.operations.append(Extend(inode, start + len(data)))
        at = 0
        while at < len(data):
            length = BLOCK_BYTES - (start + at) % BLOCK_BYTES
            self.operations.append(Fill(inode, start + at, data[at : at + length]))
            at += length

    def cut(self, status: os.stat_result) -> None:
        if (inode := self._inode(status)) is not None:
            self.operations.append(Cut(inode, status.st_size))

    def synced(self, file: int) -> None:
        if (inode := self._inode(os.fstat(file))) is not None:
            self.operations.append(Sync(inode))

    def left(self, path: Any, folder: int | None, gone: os.stat_result) -> None:
        place = self._place(path, folder)
        if place is not None:
            self.operations.append(Leave(*place))
            self._forget(gone)

    def moved(self, old: Any, new: Any, replaced: os.stat_result | None) -> None:
        source, target, inode = self._place(old), self._place(new), self._inode(os.lstat(new))
        if source is not None and target is not None and inode is not None:
            self.operations.append(Move(*source, *target, inode))
            if replaced is not None:
                self._forget(replaced)

    def linked(self, path: Any) -> None:
        place, inode = self._place(path), self._inode(os.lstat(path))
        if place is not None and inode is not None:
            self.operations.append(Enter(*place, inode))

    def made(self, path: Any, folder: int | None = None) -> None:
        status = os.stat(path, dir_fd=folder)
        self._enter(path, _identity(status), is_folder=True, folder=folder)

    def _enter(
        self, path: Any, identity: tuple[int, int], *, is_folder: bool, folder: int | None = None
    ) -> None:
        place = self._place(path, folder)
        if place is not None:
            inode = self._inodes[identity] = len(self.kinds)
            self.kinds[inode] = is_folder
            self.operations.append(Enter(*place, inode))

    def _place(self, path: Any, folder: int | None = None) -> tuple[int, str] | None:
        """Folder and name; None outside of what is taken down."""
        above, name = os.path.split(os.fspath(path))
        status = os.fstat(folder) if folder is not None and not above else os.stat(above or ".")
        inode = self._inode(status)
        return None if inode is None else (inode, name)

    def _inode(self, status: os.stat_result) -> int | None:
        return self._inodes.get(_identity(status))

    def _forget(self, status: os.stat_result) -> None:
        """The number of an inode that has no name any more will be used again."""
        if status.st_nlink <= 1 or self.kinds.get(self._inode(status) or ROOT):
            self._inodes.pop(_identity(status), None)


@contextmanager
def recording(home: Path) -> Iterator[Recorder]:
    """Take down what happens below an empty folder."""
    recorder = Recorder(home)
    with patch.multiple(os, **_stand_ins(recorder)):
        opening = _opening(builtins.open)
        with patch.object(builtins, "open", opening), patch.object(io, "open", opening):
            yield recorder


def _stand_ins(recorder: Recorder) -> dict[str, Callable[..., Any]]:  # noqa: C901
    real = {name: getattr(os, name) for name in dir(os) if callable(getattr(os, name))}
    lock = recorder._lock

    def open_(path: Any, flags: int, *args: Any, dir_fd: int | None = None) -> int:
        with lock:
            existed = _status(path, dir_fd) is not None
            file: int = real["open"](path, flags, *args, dir_fd=dir_fd)
            recorder.opened(path, existed, flags, file)
            return file

    def write(file: int, data: Any) -> int:
        with lock:
            before = os.fstat(file).st_size
            count: int = real["write"](file, data)
            recorder.wrote(file, before, bytes(data[:count]))
            return count

    def sendfile(target: int, source: int, offset: int, count: int) -> int:
        with lock:
            before = os.fstat(target).st_size
            sent: int = real["sendfile"](target, source, offset, count)
            recorder.wrote(target, before, os.pread(source, sent, offset))
            return sent

    def pwrite(file: int, data: Any, offset: int) -> int:
        with lock:
            # Nothing else is between the two.
            os.lseek(file, offset, os.SEEK_SET)
            return write(file, data)

    def truncate(path: Any, length: int) -> None:
        with lock:
            real["truncate"](path, length)
            recorder.cut(os.fstat(path) if isinstance(path, int) else os.stat(path))

    def fsync(file: int) -> None:
        with lock:
            real["fsync"](file)
            recorder.synced(file)

    def rename(old: Any, new: Any) -> None:
        with lock:
            replaced = _status(new)
            real["rename"](old, new)
            recorder.moved(old, new, replaced)

    def link(old: Any, new: Any, **more: Any) -> None:
        with lock:
            real["link"](old, new, **more)
            recorder.linked(new)

    def unlink(path: Any, *, dir_fd: int | None = None) -> None:
        with lock:
            gone = os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
            real["unlink"](path, dir_fd=dir_fd)
            recorder.left(path, dir_fd, gone)

    def rmdir(path: Any, *, dir_fd: int | None = None) -> None:
        with lock:
            gone = os.stat(path, dir_fd=dir_fd)
            real["rmdir"](path, dir_fd=dir_fd)
            recorder.left(path, dir_fd, gone)

    def mkdir(path: Any, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        with lock:
            real["mkdir"](path, mode, dir_fd=dir_fd)
            recorder.made(path, dir_fd)

    return {
        "open": open_,
        "write": write,
        "pwrite": pwrite,
        "sendfile": sendfile,
        "truncate": truncate,
        "ftruncate": truncate,
        "fsync": fsync,
        "fdatasync": fsync,
        "rename": rename,
        "replace": rename,
        "link": link,
        "unlink": unlink,
        "remove": unlink,
        "rmdir": rmdir,
        "mkdir": mkdir,
    }


class _Raw(io.FileIO):
    """A file of `open` that writes through `os`."""

    def write(self, data: Any) -> int:
        return os.write(self.fileno(), bytes(data))

    def truncate(self, size: int | None = None) -> int:
        length = self.tell() if size is None else size
        os.ftruncate(self.fileno(), length)
        return length


def _opening(real: Callable[..., Any]) -> Callable[..., Any]:
    def open_(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **more: Any) -> Any:
        if not set(mode) & set("wax+"):
            return real(file, mode, buffering, *args, **more)
        raw = _Raw(file, mode.replace("b", "").replace("t", ""), opener=os.open)
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, *args, **more)

    return open_


def _status(path: Any, folder: int | None = None) -> os.stat_result | None:
    try:
        return os.stat(path, dir_fd=folder)
    except OSError:
        return None


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino
