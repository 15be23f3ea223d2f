"""The memory limit that the kernel sets for this process: the tightest on the way to the root."""

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from fitguard.facts import files


@dataclass(frozen=True)
class Hierarchy:
    """Where a version of cgroups keeps its figures.

    Args:
        inactive: The key of memory.stat for file pages that the kernel drops when it needs room.
        kills: The file that counts processes the OOM killer ended.
    """

    mounts: tuple[str, ...]
    limit: str
    used: str
    inactive: str
    kills: str


V1 = Hierarchy(
    mounts=("sys/fs/cgroup/memory",),
    limit="memory.limit_in_bytes",
    used="memory.usage_in_bytes",
    inactive="total_inactive_file",
    kills="memory.oom_control",
)
V2 = Hierarchy(
    mounts=("sys/fs/cgroup", "sys/fs/cgroup/unified"),
    limit="memory.max",
    used="memory.current",
    inactive="inactive_file",
    kills="memory.events",
)


@dataclass(frozen=True)
class MemoryGroup:
    """The cgroup with the tightest limit."""

    directory: Path
    hierarchy: Hierarchy
    limit_bytes: int

    def read_used_bytes(self) -> int | None:
        """What counts against the limit, without what the kernel drops when it needs room."""
        used = files.number(self.directory / self.hierarchy.used)
        dropped = files.fields(self.directory / "memory.stat").get(self.hierarchy.inactive, "")
        return None if used is None else max(0, used - int(dropped if dropped.isdecimal() else 0))


def memory(root: Path, ram_bytes: int | None) -> tuple[int | None, int | None]:
    """The tightest limit and what counts against it; both None where there is no limit."""
    group = find_memory_group(root, ram_bytes)
    return (None, None) if group is None else (group.limit_bytes, group.read_used_bytes())


def find_memory_group(
    root: Path, ram_bytes: int | None, pid: int | str = "self"
) -> MemoryGroup | None:
    """Where the memory of a process is limited; None where it is not.

    A limit above the RAM limits nothing: version 1 writes "no limit" as a huge number.
    """
    groups = []
    for hierarchy, path in _memberships(files.text(root / f"proc/{pid}/cgroup") or ""):
        for directory in _ways_up(root, hierarchy, path):
            limit = files.number(directory / hierarchy.limit)
            if limit is not None and (ram_bytes is None or limit <= ram_bytes):
                groups.append(MemoryGroup(directory, hierarchy, limit))
    return min(groups, key=lambda group: group.limit_bytes, default=None)


def oom_kills(root: Path = Path("/")) -> int | None:
    """How many processes of our own cgroup the OOM killer has ended; None where nobody counts."""
    for hierarchy, path in _memberships(files.text(root / "proc/self/cgroup") or ""):
        for directory in _ways_up(root, hierarchy, path):
            count = files.fields(directory / hierarchy.kills).get("oom_kill", "")
            if count.isdecimal():
                return int(count)
    return None


def _memberships(listing: str) -> list[tuple[Hierarchy, PurePosixPath]]:
    """The cgroups of this process that can limit memory, from /proc/self/cgroup."""
    found = []
    for line in listing.splitlines():
        number, controllers, path = [*line.split(":", 2), "", ""][:3]
        if "memory" in controllers.split(","):
            found.append((V1, PurePosixPath(path)))
        elif number == "0" and not controllers:
            found.append((V2, PurePosixPath(path)))
    return found


def _ways_up(root: Path, hierarchy: Hierarchy, path: PurePosixPath) -> list[Path]:
    """The directories from the process's own cgroup up to the mount.

    In a container the mount often is the own cgroup, while `path` is the one on the host:
    directories that do not exist are passed over, the mount remains.
    """
    parts = [part for part in path.parts if part not in ("/", "..")]
    return [
        (root / mount).joinpath(*parts[:depth])
        for mount in hierarchy.mounts
        for depth in range(len(parts), -1, -1)
    ]
