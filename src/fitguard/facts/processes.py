"""A process and its descendants, as /proc tells them."""

import contextlib
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
# Of /proc/PID/stat, counted from behind the name, which may hold anything.
_STATE, _PARENT, _STARTED = 0, 1, 19
_DEAD = ("Z", "X")
# Linux, include/uapi/linux/nsfs.h: PID_NS_INIT_INO
_FIRST_NAMESPACE = 0xEFFFFFFC


@dataclass(frozen=True)
class Process:
    """One process; its number may be given to another one later, its start not."""

    pid: int
    parent: int
    started: int
    state: str = ""

    @property
    def identity(self) -> tuple[int, int]:
        return self.pid, self.started


def find_family(
    pid: int, proc: Path = _PROC, *, spare: Callable[[Process], bool] = lambda _: False
) -> list[Process]:
    """The process and all its descendants that are still connected to it.

    Args:
        spare: Those, and their descendants, are left out.
    """
    processes = {process.pid: process for process in _list_processes(proc)}
    children: dict[int, list[Process]] = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process)
    found = [processes[pid]] if pid in processes else []
    for process in found:
        found += [child for child in children.get(process.pid, []) if not spare(child)]
    return found


def find_process(pid: int, proc: Path = _PROC) -> Process | None:
    """The process of this number; None where there is none."""
    return _read(proc / str(pid))


def sum_resident_bytes(processes: Iterable[Process], proc: Path = _PROC) -> int:
    """Memory of a family: of descendants only what they do not share."""
    total = 0
    for index, process in enumerate(processes):
        with contextlib.suppress(OSError, ValueError, IndexError):
            pages = (proc / str(process.pid) / "statm").read_text().split()
            resident, shared = int(pages[1]), int(pages[2])
            total += (resident - shared if index else resident) * _PAGE_BYTES
    return total


def list_thread_numbers(processes: Iterable[Process], proc: Path = _PROC) -> frozenset[int]:
    """Those of all their threads, the first of which has the number of the process."""
    found: set[int] = set()
    for process in processes:
        with contextlib.suppress(OSError):
            threads = (proc / str(process.pid) / "task").iterdir()
            found.update(int(thread.name) for thread in threads)
    return frozenset(found)


def read_environment(pid: int, proc: Path = _PROC) -> dict[str, str]:
    """The variables that a process was started with; none where it is another user's."""
    try:
        content = (proc / str(pid) / "environ").read_bytes().decode("utf-8", "replace")
    except OSError:
        return {}
    pairs = (entry.partition("=") for entry in content.split("\0"))
    return {name: value for name, _, value in pairs if name}


def shares_kernel_numbers() -> bool:
    """Whether the kernel's log has the same numbers: in a container it has others."""
    try:
        return Path("/proc/self/ns/pid").stat().st_ino == _FIRST_NAMESPACE
    except OSError:
        return False


def find_alive(processes: Iterable[Process], proc: Path = _PROC) -> list[Process]:
    """Those that still run; a zombie does not, nor does another one with the same number."""
    found = []
    for process in processes:
        now = _read(proc / str(process.pid))
        if now is not None and now.identity == process.identity and now.state not in _DEAD:
            found.append(now)
    return found


def _list_processes(proc: Path) -> list[Process]:
    try:
        folders = [entry for entry in proc.iterdir() if entry.name.isdecimal()]
    except OSError:
        return []
    return [process for folder in folders if (process := _read(folder)) is not None]


def _read(folder: Path) -> Process | None:
    try:
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        numbers = int(folder.name), int(fields[_PARENT]), int(fields[_STARTED])
        return Process(*numbers, fields[_STATE])
    except (OSError, ValueError, IndexError):
        return None
