"""One parent guards a run: it holds a lock that ends with it, however it ends."""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator

from fitguard.monitor.regular_files import open_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput, UsageError

_TAKEN = (errno.EAGAIN, errno.EACCES)
_TRIES = 5
_BETWEEN_SECONDS = 0.05


@contextlib.contextmanager
def locking_run(folder: RunFolder) -> Iterator[None]:
    """Hold the lock of a run.

    Raises:
        UsageError: where another process holds it.
        UnreadableInput: where it cannot be opened.
    """
    try:
        file = open_regular(folder.lock, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise UnreadableInput(f"{folder.lock}: {error.strerror}") from error
    try:
        if not _take_patiently(file):
            raise UsageError(
                f"Received the run {folder.id}, which process {_read_pid(file)} guards now. "
                "Expected a run that nobody guards"
            )
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(file)


def find_holder(folder: RunFolder) -> int | None:
    """The process that guards a run; None where none does."""
    try:
        file = open_regular(folder.lock)
    except OSError:
        return None
    try:
        return None if _take(file) else _read_pid(file)
    finally:
        os.close(file)


def _take_patiently(file: int) -> bool:
    """Whoever only asks who holds a lock holds it for a moment."""
    for _ in range(_TRIES):
        if _take(file):
            return True
        time.sleep(_BETWEEN_SECONDS)
    return False


def _take(file: int) -> bool:
    """Whether the lock is ours now; where a file system has no locks, nobody holds one."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return error.errno not in _TAKEN
    return True


def _read_pid(file: int) -> int:
    number = os.pread(file, 32, 0)
    return int(number) if number.isdigit() else 0
