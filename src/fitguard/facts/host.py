"""Memory, shared memory, disk, limits and network of the machine or the container."""

import os
import socket
import sys
from pathlib import Path

from fitguard.facts import cgroup, files
from fitguard.schema.hardware import Host

LIMITS = ("nofile", "memlock", "as", "nproc", "core")


def read(root: Path = Path("/"), directory: Path | None = None) -> Host:
    """Facts of the host.

    Args:
        directory: Whose disk is meant; the current directory by default.
    """
    memory = files.fields(root / "proc/meminfo", ":")
    ram_bytes = _kibibytes(memory.get("MemTotal")) or _ram_by_pages()
    limit_bytes, used_bytes = cgroup.memory(root, ram_bytes)
    shm_bytes, shm_free_bytes = _space(root / "dev/shm")
    return Host(
        ram_bytes=ram_bytes,
        available_bytes=_kibibytes(memory.get("MemAvailable")),
        swap_bytes=_kibibytes(memory.get("SwapTotal")),
        cgroup_limit_bytes=limit_bytes,
        cgroup_used_bytes=used_bytes,
        shm_bytes=shm_bytes,
        shm_free_bytes=shm_free_bytes,
        disk_free_bytes=_space(directory or Path())[1],
        limits=_limits(),
        interfaces=_list_interfaces(),
    )


def _kibibytes(text: str | None) -> int | None:
    """`24682416 kB` in bytes."""
    number = (text or "").split()[:1]
    return int(number[0]) * 1024 if number and number[0].isdecimal() else None


def _ram_by_pages() -> int | None:
    """What macOS and the BSDs tell."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def _space(path: Path) -> tuple[int | None, int | None]:
    """Size and free space of the file system that holds `path`."""
    try:
        if sys.platform == "win32":
            import shutil

            usage = shutil.disk_usage(path)
            return usage.total, usage.free
        figures = os.statvfs(path)
    except OSError:
        return None, None
    return figures.f_blocks * figures.f_frsize, figures.f_bavail * figures.f_frsize


def _limits() -> dict[str, int]:
    """The limits that hold now; -1 is none."""
    if sys.platform == "win32":
        return {}
    import resource

    found = {}
    for name in LIMITS:
        number = getattr(resource, f"RLIMIT_{name.upper()}", None)
        if number is not None:
            soft = resource.getrlimit(number)[0]
            found[name] = -1 if soft == resource.RLIM_INFINITY else soft
    return found


def _list_interfaces() -> tuple[str, ...] | None:
    """As the kernel names them."""
    try:
        return tuple(name for _, name in socket.if_nameindex())
    except (AttributeError, OSError):
        return None
