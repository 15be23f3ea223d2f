"""Onto the disk, as far as the file system can do that."""

import errno
import os
from pathlib import Path

_REFUSED = (
    errno.EINVAL,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.ENOSYS,
    errno.EBADF,
    errno.EISDIR,
    errno.EPERM,
    errno.EACCES,
)
"""A file system that cannot do it; all else, such as EIO, is one that failed."""


def sync_file(file: int) -> str:
    """Wait until an open file is on the disk; why the file system cannot do that, else nothing.

    Raises:
        OSError: where it can, and failed.
    """
    try:
        os.fsync(file)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        return error.strerror or str(error)
    return ""


def sync_folder(folder: Path) -> str:
    """Likewise for the names in a folder."""
    try:
        file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        if error.errno not in _REFUSED:
            raise
        return error.strerror or str(error)
    try:
        return sync_file(file)
    finally:
        os.close(file)


def append_line(file: int, line: bytes) -> bool:
    """Add a line to a file that is open for reading and appending; whether all of it was written.

    A cut of power, or a full disk, may have left half a line: it must not swallow this one.

    Raises:
        OSError: where nothing can be written.
    """
    size = os.fstat(file).st_size
    if size > 0 and os.pread(file, 1, size - 1) != b"\n":
        line = b"\n" + line
    return os.write(file, line) == len(line)
