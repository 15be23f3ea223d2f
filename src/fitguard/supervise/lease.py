"""Two hosts never train in one folder, also where the file system has no locks.

    take     make the file of the next number              only one can
    renew    write into it again, a few times in the span that it lasts
    lost     there is a higher number: stop at once, and write nothing more
    release  say in it that the run was left in order

A lease of another host is over when it did not change for as long as it lasts, by the clock of the
one who waits. The clocks of two hosts are never compared.
"""

import contextlib
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from fitguard.monitor.lease_files import (
    LASTS_SECONDS,
    Lease,
    LeaseFile,
    create_lease,
    is_superseded,
    lease_path,
    overwrite_lease,
    read_lease,
)
from fitguard.monitor.run_folder import RunFolder
from fitguard.schema.exit_codes import UsageError
from fitguard.supervise.lease_owner import (
    build_lease,
    has_our_numbers,
    is_alive,
    is_of_this_kernel,
)

_RENEWALS = 6
"""In the span that a lease lasts."""
_LOOKS = 10
_LONGEST_LOOK_SECONDS = 1.0
_SHORTEST_SECONDS, _LONGEST_SECONDS = 1.0, 600.0


class AlreadyGuarded(UsageError):
    """Another process guards the run: later it may be free."""


class LeaseLost(AlreadyGuarded):
    """Another process guards the run by now."""


class HeldLease:
    """The lease that this process holds, until somebody takes it over.

    Args:
        locked: The lock of the run is held as well: no process of this machine can take it over.

    Attributes:
        before: The lease that this one came after; None where there was none.
    """

    def __init__(
        self, folder: RunFolder, lease: Lease, before: Lease | None, *, locked: bool
    ) -> None:
        self.before = before
        self._folder = folder
        self._lease = lease
        self._locked = locked
        self._renewed_at = _read_clock()
        self._lost = ""
        self._mutex = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(
            target=self._renew_often, name="fitguard-lease", daemon=True
        )
        _start_deaf(self._thread)

    @property
    def number(self) -> int:
        """What the training process compares before it writes."""
        return self._lease.number

    def check(self) -> None:
        """Go on only if the run is still ours; a machine that slept must ask first.

        Raises:
            LeaseLost: where it is not.
        """
        if not self._lost and _read_clock() - self._renewed_at > self._lease.lasts_seconds / 2:
            self._renew()
        if self._lost:
            raise LeaseLost(
                f"lost the run {self._folder.id}: {self._lost}. The training here was stopped, and "
                "nothing more was written. Expected one host at a time"
            )

    def require(self) -> None:
        """Before something is written: ask the disk whether the run is still ours.

        Raises:
            LeaseLost: where it is not.
        """
        self._renew()
        self.check()

    def release(self) -> None:
        """Nobody needs to wait for us."""
        self._ended.set()
        self._thread.join()
        if not self._lost:
            self._renew(released=True)

    def _renew_often(self) -> None:
        while not self._ended.wait(self._lease.lasts_seconds / _RENEWALS):
            self._renew()

    def _renew(self, *, released: bool = False) -> None:
        with self._mutex:
            if self._lost or is_superseded(self._folder.path, self.number):
                self._lost = self._lost or f"{_describe_holder(self._folder)} has taken it over"
                return
            self._lease = msgspec.structs.replace(
                self._lease,
                renewals=self._lease.renewals + 1,
                renewed=time.time(),
                released=released,
            )
            try:
                overwrite_lease(lease_path(self._folder.path, self.number), self._lease)
                self._renewed_at = _read_clock()
            except OSError as error:
                over = _read_clock() - self._renewed_at > self._lease.lasts_seconds
                if over and not self._locked:
                    self._lost = f"its lease cannot be renewed: {error.strerror}"


@contextlib.contextmanager
def leasing_run(
    folder: RunFolder, lasts_seconds: float, *, locked: bool, say: Callable[[str], None]
) -> Iterator[HeldLease]:
    """Hold the lease of a run.

    Args:
        locked: Whether the lock of the run is held as well.
        say: Told where a host that may be alive has to be waited for.

    Raises:
        AlreadyGuarded: where another process holds it.
        UsageError: where it cannot be written.
    """
    try:
        before = read_lease(folder.path)
        if before is not None and not _is_over(before.lease, locked=locked):
            _wait_until_over(folder, before, say)
        lease = build_lease((before.number if before else 0) + 1, lasts_seconds)
        create_lease(lease_path(folder.path, lease.number), lease)
        if before is not None:
            _tell_predecessors(folder.path, lease)
    except FileExistsError as error:
        raise _build_refusal(folder) from error
    except OSError as error:
        raise UsageError(
            f"Received the run {folder.id}, whose lease cannot be written: {error.strerror}. "
            f"Expected a folder that can be written: {folder.path}"
        ) from error
    held = HeldLease(folder, lease, before.lease if before else None, locked=locked)
    try:
        yield held
    finally:
        held.release()


def _is_over(lease: Lease | None, *, locked: bool) -> bool:
    """Whether nobody needs to be waited for."""
    if lease is None:
        return False
    if lease.released:
        return True
    if locked and is_of_this_kernel(lease):
        return True  # the processes of one kernel see each other's locks
    return has_our_numbers(lease) and not is_alive(lease)


def find_live_lease(folder: RunFolder, *, locked: bool) -> Lease | None:
    """The lease that a process of this machine holds for sure; None where that cannot be told."""
    with contextlib.suppress(OSError):
        found = read_lease(folder.path)
        if found is not None and found.lease is not None and has_our_numbers(found.lease):
            return None if _is_over(found.lease, locked=locked) else found.lease
    return None


def _wait_until_over(folder: RunFolder, seen: LeaseFile, say: Callable[[str], None]) -> None:
    lasts = seen.lease.lasts_seconds if seen.lease else LASTS_SECONDS
    seconds = min(max(lasts, _SHORTEST_SECONDS), _LONGEST_SECONDS)
    say(
        f"{_describe_holder(folder)} may still guard the run {folder.id}. Waiting {seconds:g} s to "
        "see whether it is alive."
    )
    until = _read_clock() + seconds
    while _read_clock() < until:
        time.sleep(min(seconds / _LOOKS, _LONGEST_LOOK_SECONDS))
        found = read_lease(folder.path)
        if found is None or found.number != seen.number:
            raise _build_refusal(folder)
        if found.lease is not None and found.lease.released:
            return
        if found.content != seen.content:
            raise _build_refusal(folder)


def _build_refusal(folder: RunFolder) -> AlreadyGuarded:
    return AlreadyGuarded(
        f"Received the run {folder.id}, which {_describe_holder(folder)} guards now. Expected a "
        "run that nobody guards"
    )


def _describe_holder(folder: RunFolder) -> str:
    with contextlib.suppress(OSError):
        found = read_lease(folder.path)
        if found is not None and found.lease is not None:
            return f"process {found.lease.pid} on {found.lease.host}"
    return "another process"


def _tell_predecessors(folder: Path, lease: Lease) -> None:
    """Say in the lease before who has the run now; older ones go."""
    with contextlib.suppress(OSError):
        overwrite_lease(lease_path(folder, lease.number - 1), lease)
    for number in range(lease.number - 2, 0, -1):
        try:
            lease_path(folder, number).unlink()
        except OSError:
            return


def _start_deaf(thread: threading.Thread) -> None:
    """Start a thread that gets no signals: one that nobody waits for there would end us."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        thread.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _read_clock() -> float:
    """Goes on while the machine sleeps: others do not wait for it."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
