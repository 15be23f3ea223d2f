"""What the kernel tells of a process and its descendants: memory, threads, files, disk."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from fitguard.facts import cgroup, files, host
from fitguard.facts.processes import Process, find_family, sum_resident_bytes

Values = dict[str, float | None]
"""By column, see `schema.metrics`; None for what cannot be had."""

# Of /proc/PID/stat, counted from behind the name; what children that have ended took is beside it.
_MAJOR_FAULTS, _CPU_TICKS, _THREADS = slice(9, 11), slice(11, 15), 17
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")

_MISSING = {
    "open_files": "its open files: the process is another user's",
    "cgroup_bytes": "what the container uses: its cgroup is not mounted here",
    "shm_free_bytes": "what is free in /dev/shm: it is not there",
    "disk_free_bytes": "what is free on the disk of the snapshots",
}
HOST_COLUMNS = (
    *("host_bytes", "host_limit_bytes", "cgroup_bytes", "major_faults", "threads"),
    *("open_files", "open_files_limit", "cpu_seconds", "shm_free_bytes", "disk_free_bytes"),
)


class HostReader:
    """Reads what one process and its descendants use.

    Args:
        pid: Whose limits count.
        disk: A folder on the disk of the snapshots.
        root: Where the file system begins.

    Example:
        >>> HostReader(os.getpid()).read()["host_bytes"]
    """

    def __init__(self, pid: int, disk: Path | None = None, root: Path = Path("/")) -> None:
        self._pid = pid
        self._disk = disk
        self._root = root
        self._proc = root / "proc"
        self._machine = host.read(root, disk)
        self._group = cgroup.find_memory_group(root, self._machine.ram_bytes, pid)

    def read(self, family: Sequence[Process] | None = None) -> Values:
        """Everything.

        Args:
            family: The process and its descendants, where they are known already.
        """
        family = find_family(self._pid, self._proc) if family is None else family
        machine = host.read(self._root, self._disk)
        # A limit may be changed while the process runs.
        self._group = cgroup.find_memory_group(self._root, machine.ram_bytes, self._pid)
        return {
            **self.read_memory(family),
            **self._count(family),
            "open_files": self._count_open_files(family),
            "open_files_limit": self._read_files_limit(),
            "host_limit_bytes": self._group.limit_bytes if self._group else machine.ram_bytes,
            "shm_free_bytes": machine.shm_free_bytes,
            **({} if self._disk is None else {"disk_free_bytes": machine.disk_free_bytes}),
        }

    def read_memory(self, family: Sequence[Process]) -> Values:
        """What changes quickly, and is quick to ask."""
        return {
            "host_bytes": sum_resident_bytes(family, self._proc) or None,
            "cgroup_bytes": self._group.read_used_bytes() if self._group else self._used_of_all(),
        }

    def describe_missing(self, values: Values) -> list[str]:
        """Sentences on what `read` could not find out."""
        return [
            f"fitguard does not see {why}"
            for name, why in _MISSING.items()
            if name in values and values[name] is None
        ]

    def _used_of_all(self) -> int | None:
        """Without a container: what the whole machine uses."""
        lines = files.fields(self._proc / "meminfo", ":")
        known = [lines.get(name, "").split() for name in ("MemTotal", "MemAvailable")]
        if not all(known):
            return None
        total, available = (int(words[0]) * 1024 for words in known)
        return max(0, total - available)

    def _count(self, family: Sequence[Process]) -> Values:
        faults, ticks, threads = 0, 0, 0
        for process in family:
            with contextlib.suppress(OSError, ValueError, IndexError):
                content = (self._proc / str(process.pid) / "stat").read_text()
                fields = [*map(int, content.rpartition(")")[2].split()[1:])]
                fields.insert(0, 0)  # the state, which is no number
                faults += sum(fields[_MAJOR_FAULTS])
                ticks += sum(fields[_CPU_TICKS])
                threads += fields[_THREADS]
        if not threads:
            return dict.fromkeys(("major_faults", "cpu_seconds", "threads"))
        cpu_seconds = ticks / _TICKS_A_SECOND
        return {"major_faults": faults, "cpu_seconds": cpu_seconds, "threads": threads}

    def _count_open_files(self, family: Sequence[Process]) -> int | None:
        """Of the process that has most: the limit is for each."""
        counts = []
        for process in family:
            with contextlib.suppress(OSError):
                counts.append(sum(1 for _ in (self._proc / str(process.pid) / "fd").iterdir()))
        return max(counts, default=None)

    def _read_files_limit(self) -> int | None:
        for line in (files.text(self._proc / str(self._pid) / "limits") or "").splitlines():
            if line.startswith("Max open files"):
                soft = line.split()[3]
                return int(soft) if soft.isdecimal() else None
        return None
