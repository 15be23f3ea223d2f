"""Which paths count as the training's own."""

import os
import sysconfig
from collections import deque
from pathlib import Path

_NEVER = ("/proc", "/dev", "/sys", "/run")
_NOT_THE_USERS = ("__pycache__", "site-packages", "dist-packages")
_OURS = str(Path(__file__).parents[2])
_SCRATCH = ("tempfile", "multiprocessing")
"""Modules that make files for themselves, under names that are drawn."""
_MOST_SCRATCH = 100


def normal(path: object) -> str | None:
    """An absolute path, links not followed; None for what is none, such as a file's number."""
    if not isinstance(path, str | bytes | os.PathLike):
        return None
    try:
        text = os.fsdecode(path)
        # A snapshot is written in UTF-8: a name that cannot be would cost it.
        text.encode()
        return os.path.abspath(text) if text and "\0" not in text else None
    except (OSError, ValueError, TypeError):
        return None


def is_inside(path: str, folder: str) -> bool:
    """Whether a path lies in a folder, at any depth, or is it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def strip_home(path: str, home: str) -> str:
    """A path below `home` as seen from there; others as they are."""
    return path[len(home.rstrip("/")) + 1 :] if is_inside(path, home) else path


def join_home(path: str, home: str) -> str:
    """The absolute path of what `strip_home` gave."""
    return os.path.normpath(os.path.join(home, path))


class Territory:
    """All but what belongs to the system, to Python, to fitguard, or is hidden.

    Args:
        run: The folder of the run.
        home: Where the training was started: above it, hidden folders are no sign of anything.
    """

    def __init__(self, run: Path, home: str) -> None:
        self.home = home
        installed = {sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")}
        ours = str(run.absolute())
        self._outside = {*_NEVER, *filter(None, installed), ours}
        self._scratch: deque[str] = deque(maxlen=_MOST_SCRATCH)

    def counts(self, path: str) -> bool:
        """Whether what happens to this path is the training's business."""
        below = path[len(self.home) :] if is_inside(path, self.home) else path
        if "/." in below or any(f"/{name}/" in path for name in _NOT_THE_USERS):
            return False
        return not any(is_inside(path, folder) for folder in (*self._outside, *self._scratch))

    def is_users(self, source: str) -> bool:
        """Whether a file of code is neither Python's nor of a library nor of fitguard."""
        if any(f"/{name}/" in source for name in _NOT_THE_USERS):
            return False
        return not any(is_inside(source, folder) for folder in (*self._outside, _OURS))

    def leave_out(self, folder: str) -> None:
        """All in a folder is scratch."""
        self._scratch.append(folder)


def is_scratch(module: str) -> bool:
    """Whether what a module makes is for itself alone."""
    return module.partition(".")[0] in _SCRATCH
