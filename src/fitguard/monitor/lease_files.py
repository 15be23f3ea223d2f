"""The leases of a run: one file for each parent that ever guarded it, the highest number counts.

    lease.0000000003    process 41 on node-a, which has lost it; it says who has it now
    lease.0000000004    process 77 on node-b, renewed every few seconds

A number is taken by making its file, which only one can. Whoever finds a higher number than its own
has lost the run, and writes nothing into its folder any more.
"""

import contextlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

import msgspec

from fitguard.monitor.flushing import sync_file
from fitguard.monitor.regular_files import UNDECODABLE, create_file, open_regular

LEASE_BYTES = 512
"""Always the same: to renew a lease needs no space on the disk."""
LASTS_SECONDS = 30.0
_NAME = re.compile(r"lease\.(\d{1,18})")


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """Who guards a run.

    Args:
        number: From 1; each parent of a run has a higher one than those before.
        host: For people; two hosts may have one name.
        boot: Of the kernel: the same for all that one kernel runs.
        namespace: In which `pid` counts.
        started: When the process began, as the kernel counts it.
        lasts_seconds: Without a renewal, until another host may take it over.
        renewals: So far: a lease that is held never stays the same.
        renewed: Seconds since 1970 by the clock of that host; for people.
        released: The run was left in order: nobody needs to wait.
    """

    number: int
    host: str = ""
    boot: str = ""
    namespace: int = 0
    pid: int = 0
    started: int = 0
    lasts_seconds: float = LASTS_SECONDS
    renewals: int = 0
    renewed: float = 0.0
    released: bool = False


@dataclass(frozen=True)
class LeaseFile:
    """The lease of a run as it is on the disk now.

    Args:
        content: Any change of it is a sign of life.
        lease: What it says; None where that cannot be read.
    """

    number: int
    content: bytes
    lease: Lease | None


def find_number(folder: Path) -> int:
    """The highest number of a lease; 0 where there is none.

    Raises:
        OSError: where the folder cannot be read.
    """
    found = (_NAME.fullmatch(entry.name) for entry in os.scandir(folder))
    return max((int(match[1]) for match in found if match), default=0)


def lease_path(folder: Path, number: int) -> Path:
    """The file of a lease."""
    return folder / f"lease.{number:010d}"


def read_lease(folder: Path) -> LeaseFile | None:
    """The lease that counts; None where there never was one.

    Raises:
        OSError: where it cannot be read.
    """
    number = find_number(folder)
    if number == 0:
        return None
    content = read_content(lease_path(folder, number))
    with contextlib.suppress(*UNDECODABLE):
        return LeaseFile(number, content, msgspec.json.decode(content, type=Lease))
    return LeaseFile(number, content, None)


def read_content(path: Path) -> bytes:
    """The bytes of a lease; a link is not followed, and nothing is waited for.

    Raises:
        OSError: where it cannot be read.
    """
    file = open_regular(path)
    try:
        return os.read(file, LEASE_BYTES)
    finally:
        os.close(file)


def is_superseded(folder: Path, number: int) -> bool:
    """Whether somebody else has the run that had been leased under this number.

    The own file is opened anew, as well: a network file system may show the entries of a folder
    late, but a file that is opened as it is. What cannot be read tells nothing.
    """
    with contextlib.suppress(OSError):
        if find_number(folder) > number:
            return True
    with contextlib.suppress(OSError, *UNDECODABLE):
        content = read_content(lease_path(folder, number))
        return msgspec.json.decode(content, type=Lease).number > number
    return False


def create_lease(path: Path, lease: Lease) -> None:
    """Make the file of a number, with all that it holds.

    Raises:
        FileExistsError: where somebody else has made it.
    """
    create_file(path, _encode(lease))


def overwrite_lease(path: Path, lease: Lease) -> None:
    """Write into a lease that is there.

    Raises:
        OSError: where that cannot be done.
    """
    file = open_regular(path, os.O_WRONLY)
    try:
        os.pwrite(file, _encode(lease), 0)
        sync_file(file)
    finally:
        os.close(file)


def _encode(lease: Lease) -> bytes:
    return msgspec.json.encode(lease).ljust(LEASE_BYTES)
