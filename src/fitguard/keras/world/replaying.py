"""The functions of `os` that fail where an earlier attempt has done the same already.

What that attempt did counts as not done, once: a folder as new, a file as there to be removed.
"""

import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from fitguard.keras.world.watching import is_heard

Function = Callable[..., Any]


class Replay(Protocol):
    """Who knows what earlier attempts did. All are asked with what the function was given."""

    def record_folder(self, path: object, by: str = "") -> None: ...
    def was_made(self, path: object) -> bool: ...
    def removing(self, path: object) -> Callable[[], None]: ...
    def was_removed(self, path: object) -> bool: ...
    def renaming(self, old: object, new: object) -> Callable[[], None]: ...
    def was_renamed(self, old: object, new: object) -> bool: ...
    def record_link(self, path: object) -> None: ...
    def was_linked(self, target: object, path: object) -> bool: ...


@contextlib.contextmanager
def replaying(replay: Replay) -> Iterator[None]:
    """Put them in place meanwhile."""
    wraps: dict[str, Callable[[Function, Replay], Function]] = {
        "mkdir": _mkdir,
        "remove": _remove,
        "unlink": _remove,
        "rmdir": _remove,
        "rename": _rename,
        "replace": _rename,
        "symlink": _symlink,
    }
    originals = {name: getattr(os, name) for name in wraps}
    for name, original in originals.items():
        wrapped = functools.wraps(original)(wraps[name](original, replay))
        if original in os.supports_dir_fd:
            # `shutil` and others ask it of the function that they find.
            os.supports_dir_fd.add(wrapped)
        setattr(os, name, wrapped)
    try:
        yield
    finally:
        for name, original in originals.items():
            os.supports_dir_fd.discard(getattr(os, name))
            setattr(os, name, original)


def _mkdir(original: Function, replay: Replay) -> Function:
    def mkdir(path: Any, *args: Any, **more: Any) -> None:
        if more.get("dir_fd") is not None or not is_heard():
            original(path, *args, **more)
            return
        try:
            original(path, *args, **more)
        except FileExistsError:
            if not replay.was_made(path):
                raise
        replay.record_folder(path, sys._getframe(1).f_globals.get("__name__", ""))

    return mkdir


def _remove(original: Function, replay: Replay) -> Function:
    def remove(path: Any, **more: Any) -> None:
        if more.get("dir_fd") is not None or not is_heard():
            original(path, **more)
            return
        removed = replay.removing(path)
        try:
            original(path, **more)
        except FileNotFoundError:
            if not replay.was_removed(path):
                raise
        removed()

    return remove


def _rename(original: Function, replay: Replay) -> Function:
    def rename(src: Any, dst: Any, **more: Any) -> None:
        if more or not is_heard():
            original(src, dst, **more)
            return
        renamed = replay.renaming(src, dst)
        try:
            original(src, dst)
        except FileNotFoundError:
            if not replay.was_renamed(src, dst):
                raise
        renamed()

    return rename


def _symlink(original: Function, replay: Replay) -> Function:
    def symlink(src: Any, dst: Any, *args: Any, **more: Any) -> None:
        try:
            original(src, dst, *args, **more)
        except FileExistsError:
            if more.get("dir_fd") is not None or not is_heard() or not replay.was_linked(src, dst):
                raise
        if more.get("dir_fd") is None and is_heard():
            replay.record_link(dst)

    return symlink
