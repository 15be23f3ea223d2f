"""Looks into folders for files that were written where no audit event tells of it.

Only into folders that the run itself made, and to names that it was seen to use: in one working
directory several trainings may write, and another's files are not this one's to put back.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from typing import Any

from fitguard.keras.world.territory import is_inside, normal

MOST_ENTRIES = 5000
_DEPTH = 6
_LONGEST = 1000
_CHECKPOINT_PART = re.compile(r".*(/checkpoint|\.pb|\.index|\.data-\d{5}-of-\d{5})")


def find_callback_paths(callbacks: Iterable[Any]) -> set[str]:
    """Paths among the attributes of callbacks, up to the first `{` of a pattern."""
    found = set()
    for callback in callbacks:
        for value in list(getattr(callback, "__dict__", {}).values()):
            if isinstance(value, os.PathLike) or (isinstance(value, str) and _is_path(value)):
                path = normal(os.fspath(value).partition("{")[0])
                if path is not None and not os.fspath(value).startswith("{"):
                    found.add(path)
    return found


def _is_path(text: str) -> bool:
    return len(text) < _LONGEST and "\n" not in text and ("/" in text or "." in text)


class Listing:
    """One look; it ends after so many entries.

    Args:
        since: Seconds since 1970: what is older was not written by this attempt.

    Attributes:
        complete: Whether all was seen.
    """

    def __init__(self, since: float, most: int = MOST_ENTRIES) -> None:
        self.complete = True
        self._since_ns = int(since * 1e9)
        self._left = most

    def inside(self, folder: str, depth: int = _DEPTH) -> Iterator[str]:
        """All regular files in a folder; links are not followed."""
        for entry in self._entries(folder):
            with contextlib.suppress(OSError):
                if entry.is_file(follow_symlinks=False):
                    yield entry.path
                elif entry.is_dir(follow_symlinks=False) and depth and entry.name[0] != ".":
                    yield from self.inside(entry.path, depth - 1)

    def find_written(self, path: str, home: str) -> Iterator[str]:
        """What was written under a name: the file, what begins with it, what is in the folder."""
        if os.path.isdir(path) and not os.path.islink(path):
            if not is_inside(home, path):
                yield from filter(self._is_recent, self.inside(path))
            return
        folder = os.path.dirname(path)
        beginning = os.path.basename(path)
        for entry in self._entries(folder):
            if entry.name.startswith(beginning) and self._is_recent(entry.path):
                yield entry.path

    def checkpoint_parts(self, folder: str) -> Iterator[str]:
        """What TensorFlow writes without a word: parts, and files that got another name first."""
        for path in self.inside(folder, depth=1):
            if _CHECKPOINT_PART.fullmatch(path) and self._is_recent(path):
                yield path

    def _entries(self, folder: str) -> Iterator[os.DirEntry[str]]:
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                self._left -= 1
                if self._left < 0:
                    self.complete = False
                    return
                yield entry

    def _is_recent(self, path: str) -> bool:
        with contextlib.suppress(OSError):
            status = os.lstat(path)
            return stat.S_ISREG(status.st_mode) and status.st_mtime_ns >= self._since_ns
        return False
