"""One parent guards a run: it holds a lock that ends with it, however it ends.

Where a file system has no locks, or keeps them from other hosts, the lease sees to it.
"""

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterator

from fitguard.monitor.lease_files import read_lease
from fitguard.monitor.regular_files import open_regular
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.supervise.lease import AlreadyGuarded, find_live_lease
from fitguard.supervise.lease_owner import is_of_this_kernel

_TAKEN = (errno.EAGAIN, errno.EACCES)
_CLOCKS_DIFFER_SECONDS = 60.0
_TRIES = 5
_BETWEEN_SECONDS = 0.05


@contextlib.contextmanager
def locking_run(folder: RunFolder) -> Iterator[bool]:
    """Hold the lock of a run; whether there is one to hold.

    Raises:
        AlreadyGuarded: where another process holds it.
        UnreadableInput: where it cannot be opened.
    """
    try:
        file = open_regular(folder.lock, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise UnreadableInput(f"{folder.lock}: {error.strerror}") from error
    try:
        locked = _take_patiently(file)
        if locked is False:
            raise AlreadyGuarded(
                f"Received the run {folder.id}, which process {_read_pid(file)} guards now. "
                "Expected a run that nobody guards"
            )
        with contextlib.suppress(OSError):
            os.ftruncate(file, 0)
            os.pwrite(file, str(os.getpid()).encode(), 0)
        yield locked is True
    finally:
        os.close(file)


def find_holder(folder: RunFolder) -> int | None:
    """The process that guards a run; None where none does."""
    try:
        file = open_regular(folder.lock)
    except OSError:
        return None
    try:
        # A shared one is enough to ask, and a network file system gives it to who only reads.
        free = _take(file, fcntl.LOCK_SH)
        if free is False:
            return _read_pid(file)
    finally:
        os.close(file)
    lease = find_live_lease(folder, locked=free is True)
    return None if lease is None else lease.pid


def seems_guarded(folder: RunFolder) -> bool:
    """Whether a run goes on, also on another host, as far as a glance can tell.

    Good enough to show: whoever wants to train there waits for the lease instead.
    """
    if find_holder(folder) is not None:
        return True
    with contextlib.suppress(OSError):
        found = read_lease(folder.path)
        lease = found.lease if found is not None else None
        if lease is not None and not lease.released and not is_of_this_kernel(lease):
            since = time.time() - lease.renewed
            return abs(since) < lease.lasts_seconds + _CLOCKS_DIFFER_SECONDS
    return False


def _take_patiently(file: int) -> bool | None:
    """Whoever only asks who holds a lock holds it for a moment."""
    for _ in range(_TRIES):
        if (taken := _take(file, fcntl.LOCK_EX)) is not False:
            return taken
        time.sleep(_BETWEEN_SECONDS)
    return False


def _take(file: int, how: int) -> bool | None:
    """Whether the lock is ours now; None where the file system has no locks."""
    try:
        fcntl.flock(file, how | fcntl.LOCK_NB)
    except OSError as error:
        return False if error.errno in _TAKEN else None
    return True


def _read_pid(file: int) -> int:
    number = os.pread(file, 32, 0)
    return int(number) if number.isdigit() else 0
