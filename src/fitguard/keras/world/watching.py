"""Python's audit events: files that are about to be opened for writing, folders about to go."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Any, Literal, Protocol

How = Literal["write", "append", "update", "exclusive"]
"""A file that is there: overwritten, added to, changed inside, or an error."""


class Watcher(Protocol):
    """Who is told."""

    def touch(self, path: object, how: How, by: str = "") -> None:
        """A file is about to be opened for writing; `by` a module."""

    def on_tree_removal(self, path: object) -> None:
        """`shutil.rmtree` is about to begin."""

    def on_import(self) -> None:
        """Something was imported."""


_watcher: Watcher | None = None
_process = 0
_here = threading.local()


def watch(watcher: Watcher | None) -> None:
    """Tell this one from now on; None for nobody. A hook can be added, and never removed."""
    global _watcher, _process
    if not _process:
        sys.addaudithook(_hear)
    _watcher, _process = watcher, os.getpid()


def call_unheard(function: Callable[..., Any], *args: Any) -> Any:
    """Call it; what it does to files itself is no news."""
    before = getattr(_here, "deaf", False)
    _here.deaf = True
    try:
        return function(*args)
    finally:
        _here.deaf = before


def is_heard() -> bool:
    """Whether what happens now is the script's own doing, in the process that is guarded."""
    return _watcher is not None and not getattr(_here, "deaf", False) and os.getpid() == _process


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    # Most events are others, and come often.
    if event != "open" and event != "import" and event != "shutil.rmtree":
        return
    if not is_heard():
        return
    try:
        call_unheard(_tell, _watcher, event, arguments)
    except Exception:
        # An error here would be one of the script's own `open`.
        return


def _tell(watcher: Watcher, event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open":
        path, _, flags = arguments
        if isinstance(flags, int) and flags & os.O_ACCMODE != os.O_RDONLY:
            by = sys._getframe(3).f_globals.get("__name__", "")
            watcher.touch(path, how_opened(flags), by)
    elif event == "import":
        watcher.on_import()
    else:
        watcher.on_tree_removal(arguments[0])


def how_opened(flags: int) -> How:
    """What the flags of `open` mean for a file that is there."""
    if flags & os.O_EXCL:
        return "exclusive"
    return "append" if flags & os.O_APPEND else "write"
