"""Memory that processes share, and that nobody can cut short: to touch it never kills.

Who makes it keeps it open, and writes down where it is. Others open it there: it has a mark, which
tells it from what has the same number later, or in another container.
"""

import contextlib
import fcntl
import os
import struct
from pathlib import Path
from typing import NamedTuple

_NAME = "fitguard"
_WHERE = struct.Struct("=qq16s")
_MARK_AT = 2048
WHERE_BYTES = _WHERE.size


class Sealed(NamedTuple):
    """Such memory, open here.

    Args:
        where: Leads other processes of this machine to it.
    """

    file: int
    where: bytes


def make_sealed(size: int) -> Sealed | None:
    """New memory, of zeros but for its mark; None where this system has none."""
    try:
        file = os.memfd_create(_NAME, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    except (AttributeError, OSError):  # not Linux, or a sandbox that forbids it
        return None
    try:
        os.ftruncate(file, size)
        fcntl.fcntl(file, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW)
        mark = os.urandom(16)
        os.pwrite(file, mark, _MARK_AT)
    except OSError:
        os.close(file)
        return None
    return Sealed(file, _WHERE.pack(os.getpid(), file, mark))


def open_sealed(where: bytes) -> int | None:
    """The number of what another process has made; None where it is not to be had from here."""
    if len(where) != WHERE_BYTES:
        return None
    pid, number, mark = _WHERE.unpack(where)
    path = Path(f"/proc/{pid}/fd/{number}")
    with contextlib.suppress(OSError):
        # Before it is opened: a FIFO would block, and a device may do anything.
        if pid <= 0 or not str(path.readlink()).startswith(f"/memfd:{_NAME}"):
            return None
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        if _is_sealed(file) and os.pread(file, len(mark), _MARK_AT) == mark:
            return file
        os.close(file)
    return None


def _is_sealed(file: int) -> bool:
    with contextlib.suppress(OSError):
        return bool(fcntl.fcntl(file, fcntl.F_GET_SEALS) & fcntl.F_SEAL_SHRINK)
    return False
