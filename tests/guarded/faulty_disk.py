"""A disk that fails, inside of this process: what stands in for functions of `os`."""

import contextlib
import errno
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

ERRORS = ("EIO", "ENOSPC", "EDQUOT", "ESTALE")
_SLOW_SECONDS = 0.004


class FaultyDisk:
    """The files below a folder, on a disk that can be told to fail.

    Attributes:
        fault: One of `ERRORS`, `short` (half of a write is done), `slow`; empty while all is well.
        hits: How often it failed.
    """

    def __init__(self, folder: Path) -> None:
        self.fault = ""
        self.hits = 0
        self._folder = str(folder.resolve())

    def _is_here(self, where: Any) -> bool:
        path = Path(f"/proc/self/fd/{where}").readlink() if isinstance(where, int) else where
        return str(path).startswith(self._folder)

    def fail(self, where: Any) -> bool:
        """Fail, where it is time; whether only half is to be done."""
        if not self.fault or not self._is_here(where):
            return False
        self.hits += 1
        if self.fault == "slow":
            time.sleep(_SLOW_SECONDS)
        elif self.fault in ERRORS:
            number = getattr(errno, self.fault)
            raise OSError(number, os.strerror(number))
        return self.fault == "short"


@contextlib.contextmanager
def faulty(folder: Path) -> Iterator[FaultyDisk]:
    """Have it for a while."""
    disk = FaultyDisk(folder)

    def failing(name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def stand_in(where: Any, *args: Any, **more: Any) -> Any:
            disk.fail(where)
            return real(where, *args, **more)

        return stand_in

    real_open, real_write = os.open, os.write

    def open_(path: Any, flags: int, *args: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            disk.fail(path)
        return real_open(path, flags, *args, **more)

    def write(file: int, data: Any) -> int:
        half = disk.fail(file)
        return real_write(file, data[: max(1, len(data) // 2)] if half else data)

    names = ("fsync", "replace", "rename", "mkdir", "ftruncate", "sendfile")
    stand_ins = {name: failing(name) for name in names}
    with patch.multiple(os, open=open_, write=write, **stand_ins):
        yield disk
