"""Who takes a lease, and what can be known here of who took one."""

import contextlib
import os
import socket
import time
from pathlib import Path

from fitguard.facts.processes import find_process
from fitguard.monitor.lease_files import Lease


def build_lease(number: int, lasts_seconds: float) -> Lease:
    """The lease of this process."""
    pid = os.getpid()
    process = find_process(pid)
    return Lease(
        number=number,
        host=socket.gethostname(),
        boot=read_boot(),
        namespace=read_namespace("pid"),
        pid=pid,
        started=process.started if process else 0,
        lasts_seconds=lasts_seconds,
        renewed=time.time(),
    )


def is_of_this_kernel(lease: Lease) -> bool:
    """Whether it was taken on this machine, since that was last started."""
    return lease.boot == read_boot() != ""


def has_our_numbers(lease: Lease) -> bool:
    """Whether /proc may be asked about its process: it tells of this machine and container."""
    return is_of_this_kernel(lease) and lease.namespace == read_namespace("pid")


def is_alive(lease: Lease) -> bool:
    """Whether its process still runs; only where it has our numbers."""
    found = find_process(lease.pid)
    return found is not None and found.started == lease.started


def read_boot() -> str:
    """Another one since each start of the machine; empty where that is not known."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def read_namespace(kind: str) -> int:
    """The number of the namespace of this process; 0 where that is not known."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/self/ns/{kind}").stat().st_ino
    return 0
