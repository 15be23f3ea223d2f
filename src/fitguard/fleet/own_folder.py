"""The folder of an embedded Ray: it goes with its fleet, or with the next one of the same user.

A fleet that is killed cannot remove its folder. Who starts next removes it, if that is sure: the
name is one of ours, the folder belongs to this user, the lock in it is free, and no process has its
path in its command line, as Ray's have.
"""

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "fg-"
_NAME = re.compile(_PREFIX + "[a-z0-9_]{8}")
_LOCK = "fitguard-fleet.lock"
_LONGEST_PLACE = 40
"""Ray puts sockets below it, whose paths may have 107 characters."""


@contextlib.contextmanager
def making_folder() -> Iterator[Path]:
    """A new folder, until this ends; what dead fleets have left is removed."""
    usual = tempfile.gettempdir()
    place = Path(usual if len(usual) <= _LONGEST_PLACE else "/tmp")
    remove_left_behind(place)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
    try:
        with _locking(folder):
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def remove_left_behind(place: Path) -> None:
    """Remove the folders of fleets of this user that nobody is at any more."""
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if _is_ours(entry) and _is_left_behind(Path(entry.path)):
                shutil.rmtree(entry.path, ignore_errors=True)


@contextlib.contextmanager
def _locking(folder: Path) -> Iterator[None]:
    # It gets its name when it is held: others never find one that is not.
    early = folder / f"{_LOCK}.new"
    lock = os.open(early, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        early.rename(folder / _LOCK)
        yield
    finally:
        os.close(lock)


def _is_ours(entry: "os.DirEntry[str]") -> bool:
    return (
        _NAME.fullmatch(entry.name) is not None
        and entry.is_dir(follow_symlinks=False)
        and entry.stat(follow_symlinks=False).st_uid == os.geteuid()
    )


def _is_left_behind(folder: Path) -> bool:
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except OSError:  # none: it is not of a fleet
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return not _is_named_by_process(folder)
    except OSError:
        return False
    finally:
        os.close(lock)


def _is_named_by_process(folder: Path) -> bool:
    path = os.fsencode(folder)
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if path in file.read_bytes():
                return True
    return False
