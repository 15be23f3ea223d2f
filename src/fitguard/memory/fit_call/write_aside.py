"""What Python code would write to files is written to a folder that is thrown away.

Where the code reads such a file again, it finds it there. What cannot be led there (removing,
renaming, other programs, the network) is refused.
"""

import builtins
import contextlib
import io
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from fitguard.memory.fit_call.open_files import OpenFiles, copying_open_files
from fitguard.memory.fit_call.writers import leading_readers, refusing_writers

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_TRUNC | os.O_APPEND | os.O_CREAT
_REFUSED = {
    "os.remove": "remove",
    "os.rename": "rename",
    "os.rmdir": "remove",
    "os.truncate": "cut",
    "os.chmod": "change",
    "os.chown": "change",
    "shutil.rmtree": "remove",
    "shutil.move": "move",
}
_ELSEWHERE = {
    **dict.fromkeys(
        ("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.exec", "os.fork"),
        "start another program",
    ),
    **dict.fromkeys(("socket.connect", "socket.sendto", "socket.sendmsg"), "use the network"),
    **dict.fromkeys(("os.kill", "os.killpg"), "send a signal to a process"),
    "sqlite3.connect": "open a database",
}
MOST_PROMISED = 3
"""So many files are kept in mind that are written only if they are read: each holds a model."""
_active: "WriteAside | None" = None
_is_hooked = False


class WriteAside:
    """While it is entered, no file of the user's is changed from Python.

    Args:
        before: Files that were open before that code began.
        refuse: Is told what the code would do, and raises.
    """

    def __init__(self, before: OpenFiles, refuse: Callable[[str], Any]) -> None:
        self._before = before
        self._refuse = refuse
        self._own: set[str] = set()
        self._promised: dict[str, Callable[[str], Any]] = {}
        self._is_paused = False

    def __enter__(self) -> Self:
        global _active
        _hook()
        self._folder = tempfile.mkdtemp(prefix="fitguard-")
        self._opens = (builtins.open, io.open)
        with contextlib.ExitStack() as stack:
            stack.callback(shutil.rmtree, self._folder, ignore_errors=True)
            stack.enter_context(copying_open_files(Path(self._folder), self._before, self._refuse))
            stack.enter_context(leading_readers(self.find))
            stack.enter_context(refusing_writers(self._refuse, lambda: self._is_paused))
            self._stack = stack.pop_all()
        builtins.open = io.open = self._open
        _active = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        global _active
        _active = None
        builtins.open, io.open = self._opens
        self._stack.close()

    @contextlib.contextmanager
    def pausing(self) -> Iterator[None]:
        """Files are as ever meanwhile."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def promise(self, file: Any, write: Callable[[str], Any]) -> None:
        """Note a file that is written only if the code reads it; `write` is told where."""
        if _is_path(file):
            path = _absolute(file)
            self._promised.pop(path, None)
            self._promised[path] = write
            for forgotten in list(self._promised)[:-MOST_PROMISED]:
                del self._promised[forgotten]

    def find(self, file: Any) -> Any:
        """Where a file is that was written meanwhile; all others are where they ever were."""
        if self._is_paused or not _is_path(file):
            return file
        path = _absolute(file)
        write = self._promised.pop(path, None)
        if write is not None:
            with self.pausing(), contextlib.suppress(Exception):
                write(self._make_place(path))
        place = self._place(path)
        return str(place) if place.is_file() else file

    def watch(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Judge what Python is about to do.

        New folders, and files that cannot replace another, are let through and may be removed.
        """
        if self._is_paused:
            return
        if event in _ELSEWHERE:
            self._refuse(f"it would {_ELSEWHERE[event]}")
        elif event in ("open", "os.mkdir", *_REFUSED) and _is_path(arguments[0]):
            self._watch_path(
                event, _absolute(arguments[0], *_folder_of(event, arguments)), arguments
            )

    def _watch_path(self, event: str, path: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.mkdir":
            self._own.add(path)
        elif event == "open":
            self._watch_open(path, arguments[2])
        elif not self._is_own(path):
            self._refuse(f"it would {_REFUSED[event]} {Path(path).name}")

    def _watch_open(self, path: str, flags: Any) -> None:
        if not isinstance(flags, int) or not flags & _WRITING or path.startswith("/dev/"):
            return
        if flags & os.O_EXCL:
            self._own.add(path)
        elif not self._is_own(path) and "__pycache__" not in path:
            self._refuse(f"it would write {Path(path).name}")

    def _is_own(self, path: str) -> bool:
        own = (*self._own, self._folder)
        return any(path == one or path.startswith(one + os.sep) for one in own)

    def _open(self, file: Any, mode: str = "r", *args: Any, **kwargs: Any) -> Any:
        writes = set(mode) & set("wa+")
        if "w" not in mode:
            file = self.find(file)
        if writes and not self._is_paused and _is_path(file):
            path = _absolute(file)
            if not self._is_own(path) and not path.startswith("/dev/"):
                file = self._make_place(path)
                if "w" not in mode and Path(path).is_file():
                    shutil.copyfile(path, file)
        return self._opens[0](file, mode, *args, **kwargs)

    def _make_place(self, path: str) -> str:
        self._promised.pop(path, None)
        place = self._place(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        return str(place)

    def _place(self, path: str) -> Path:
        return Path(self._folder, path.lstrip(os.sep))


def _is_path(thing: Any) -> bool:
    return isinstance(thing, str | bytes | os.PathLike)


def _absolute(path: Any, folder: str = "") -> str:
    return os.path.abspath(os.path.join(folder, os.fsdecode(path)))  # noqa: PTH100, PTH118


def _folder_of(event: str, arguments: tuple[Any, ...]) -> Iterator[str]:
    """Where a path begins, if it is told by a descriptor: `rmtree` does so."""
    descriptor = arguments[-1] if event.startswith("os.") else -1
    if isinstance(descriptor, int) and descriptor >= 0:
        with contextlib.suppress(OSError):
            yield str(Path(f"/proc/self/fd/{descriptor}").readlink())


def _hook() -> None:
    """Audit hooks cannot be taken away: there is one, which asks who is active."""
    global _is_hooked
    if not _is_hooked:
        _is_hooked = True
        sys.addaudithook(_tell_active)


def _tell_active(event: str, arguments: tuple[Any, ...]) -> None:
    if _active is not None:
        _active.watch(event, arguments)
