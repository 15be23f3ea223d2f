"""What a process holds, and whether a target is met, for the benches."""

from pathlib import Path


def available_bytes() -> int:
    """What the machine can still give."""
    return _bytes(Path("/proc/meminfo"), "MemAvailable")


def reset_peak() -> int:
    """Let the kernel count the peak from now; what is in use now."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory_bytes("VmRSS")


def memory_bytes(kind: str) -> int:
    """`VmRSS` is in use now, `VmHWM` was at most."""
    return _bytes(Path("/proc/self/status"), kind)


def verdict(met: bool) -> str:
    """Whether a target is met, in words."""
    return "target met" if met else "target MISSED"


def _bytes(file: Path, key: str) -> int:
    lines = file.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))
