"""Opens files of a run folder. Who else can write there may have put anything in their place.

A link leads to another file, a FIFO blocks whoever opens it, a device never ends. So only regular
files are opened, and only so much of them is read. What is made here is for its owner alone,
whatever the umask.
"""

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path
from typing import BinaryIO

import msgspec

from fitguard.monitor.flushing import sync_file, sync_folder
from fitguard.words import size

FOLDER_MODE = 0o700
FILE_MODE = 0o600
UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
"""What bytes raise that are no JSON, are none of ours, or are nested to kill who reads them."""
MOST_BYTES = 256 << 20
"""Of a file that is read whole. A journal of 100,000 calls of `fit` has less."""
_HEAD_BYTES = 1 << 20
_NO_HARD_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


def open_regular(path: Path, flags: int = os.O_RDONLY) -> int:
    """The number of a file.

    Raises:
        OSError: where it cannot be opened, or is a link, a folder, a FIFO or a device.
    """
    try:
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, FILE_MODE)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise _refuse(error.errno, path) from error
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise _refuse(errno.EINVAL, path)
    return file


def open_unbuffered(path: Path) -> BinaryIO:
    """A file to read, of which no byte is read before it is asked for.

    Raises:
        OSError: as `open_regular`.
    """
    return os.fdopen(open_regular(path), "rb", buffering=0)


def _refuse(number: int, path: Path) -> OSError:
    return OSError(number, "it is a link or a device. Expected a regular file", str(path))


def read_regular(path: Path, most_bytes: int = MOST_BYTES) -> bytes:
    """All of a file.

    Raises:
        OSError: as `open_regular`; also for a file that is longer than `most_bytes`.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        problem = f"it is longer than {size(most_bytes)}, which no such file is"
        raise OSError(errno.EFBIG, problem, str(path))
    return content


def read_end(path: Path, most_bytes: int, start: int = 0) -> bytes:
    """The end of a file, from `start` on.

    Raises:
        OSError: as `open_regular`.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        file.seek(max(start, file.seek(0, os.SEEK_END) - most_bytes))
        return file.read(most_bytes)


def read_lines(path: Path, most_bytes: int = MOST_BYTES, head_bytes: int = _HEAD_BYTES) -> bytes:
    """All lines of a file; of one that is too long, those of its beginning and of its end.

    Raises:
        OSError: as `open_regular`.
    """
    with os.fdopen(open_regular(path), "rb") as file:
        left_out = file.seek(0, os.SEEK_END) - most_bytes
        file.seek(0)
        if left_out <= head_bytes:
            return file.read(most_bytes + head_bytes)
        head = file.read(head_bytes)
        file.seek(left_out)
        return head + b"\n" + file.read(most_bytes)


def make_folder(path: Path, within: Path) -> None:
    """Make a folder, and those above it up to `within`; their names are on the disk then.

    Args:
        within: It has to be there. A run folder that is gone is never made again: somebody removed
            it, or its disk is away, and what is begun in its place could be taken for the run.

    Raises:
        OSError: where that cannot be done.
    """
    if path != within and not path.is_dir():
        make_folder(path.parent, within)
        path.mkdir(FOLDER_MODE, exist_ok=True)
        sync_folder(path.parent)


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that it is whole at any time, also when the power is cut.

    Raises:
        OSError: where it cannot be written; the old one is then still there.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        beside.unlink()
    try:
        with os.fdopen(open_regular(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            file.write(content)
            file.flush()
            sync_file(file.fileno())
        beside.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def create_file(path: Path, content: bytes) -> None:
    """Make a file with all that it holds; of several who try, only one succeeds.

    Raises:
        FileExistsError: where somebody else has made it.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    _write_new(beside, content)
    try:
        path.hardlink_to(beside)
    except FileExistsError:
        # A network may repeat the call, and report that the first one succeeded.
        if beside.stat().st_nlink < 2:
            raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        _write_new(path, content)
    finally:
        beside.unlink()


def _write_new(path: Path, content: bytes) -> None:
    with os.fdopen(open_regular(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(content)
        file.flush()
        sync_file(file.fileno())
