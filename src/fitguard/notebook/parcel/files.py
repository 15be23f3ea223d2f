"""The files of a parcel: in memory where there is room, else in the folder of the runs.

They hold code that will run, so only the user may read or write them, and none is read that another
user could have written.

A folder in memory is held by a lock. One that nobody holds is what a kernel that died left behind:
the next start removes it.
"""

import contextlib
import fcntl
import itertools
import os
import shutil
import stat
import tempfile
from pathlib import Path
from typing import BinaryIO

from fitguard.schema.exit_codes import UnreadableInput

MEMORY = Path("/dev/shm")
_PREFIX = f"fitguard-{os.getuid()}-"
_LOCK = "lock"
_SHARE_OF_MEMORY = 4
"""At most one part in so many of what is free may be taken for arrays."""


class ParcelFiles:
    """A folder for small files, and room for large ones; both go with `remove`.

    Args:
        folder: Made here.
        memory: A file system in memory; None to use none.
    """

    def __init__(self, folder: Path, memory: Path | None = MEMORY) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._folder = folder
        self._memory = memory
        self._held: HeldFolder | None = None
        self._numbers = itertools.count(1)

    @property
    def content(self) -> Path:
        """The file of all that is packed."""
        return self._folder / "parcel.pickle"

    @property
    def surroundings(self) -> Path:
        """The file of what is needed to unpack it."""
        return self._folder / "surroundings.pickle"

    def create(self, path: Path) -> BinaryIO:
        """A new file that is the user's alone."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        return open(os.open(path, flags, 0o600), "wb")  # noqa: PTH123

    def open(self, path: Path) -> BinaryIO:
        """A file that only the user can have written.

        Raises:
            UnreadableInput: where another user could have.
        """
        require_private(path)
        return path.open("rb")

    def new(self, suffix: str, size_bytes: int) -> Path:
        """A name for a file of so many bytes."""
        folder = self._folder
        if self._memory is not None and _fits(self._memory, size_bytes):
            self._held = self._held or HeldFolder(self._memory)
            folder = self._held.path
        return folder / f"{next(self._numbers)}{suffix}"

    def remove(self) -> None:
        """All of it."""
        shutil.rmtree(self._folder, ignore_errors=True)
        if self._held is not None:
            self._held.remove()
            self._held = None


class HeldFolder:
    """A folder with a lock that ends with this process."""

    def __init__(self, memory: Path) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=memory))
        self._lock = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """It and all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)


def require_private(path: Path) -> None:
    """Refuse a file that another user could have written: it may hold code.

    Raises:
        UnreadableInput: where it or its folder belongs to another user, or others can write there.
    """
    for place in (path.parent, path):
        found = place.lstat()
        if found.st_uid != os.geteuid():
            why = f"it belongs to another user ({found.st_uid})"
        elif stat.S_ISLNK(found.st_mode):
            why = "it is a link"
        elif found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            why = f"others can write to it (mode {stat.S_IMODE(found.st_mode):o})"
        else:
            continue
        raise UnreadableInput(
            f"Received {place}: {why}, so it may hold the code of somebody else. Expected a file "
            "and a folder that only you can write to: give fitguard.fit(…, runs_folder=FOLDER) a "
            "folder of your own."
        )


def remove_left_behind(memory: Path = MEMORY) -> int:
    """Remove folders whose process has died; how many."""
    removed = 0
    for folder in memory.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
                removed += 1
            finally:
                os.close(lock)
    return removed


def _fits(memory: Path, size_bytes: int) -> bool:
    """Whether a file system in memory has room, and the machine would still have enough."""
    try:
        room = os.statvfs(memory)
        free = _available_bytes()
    except OSError:
        return False
    return (
        size_bytes <= room.f_bavail * room.f_frsize // 2 and size_bytes * _SHARE_OF_MEMORY <= free
    )


def _available_bytes() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0
