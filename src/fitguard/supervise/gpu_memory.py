"""Memory that a family of processes holds on GPUs, as the driver counts it."""

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from fitguard.facts import nvml
from fitguard.facts.nvml_questions import Questions

_LISTS = tuple(
    tuple(f"nvmlDeviceGet{kind}RunningProcesses{version}" for version in ("_v3", "_v2"))
    for kind in ("Compute", "Graphics")
)


class GpuMemory:
    """Asks NVML, which is loaded at the first question; a machine without it has no answer.

    In a container the driver may name processes by numbers of the host. Where it knows none of
    ours, what a GPU uses more than at the first question is taken for it.
    """

    def __init__(self, load: Callable[[], Any] = nvml.load) -> None:
        self._load = load
        self._devices: list[Questions] | None = None
        self._used_before: int | None = None

    def bytes_of(self, pids: Collection[int]) -> int | None:
        """What these processes hold together; None where nobody can tell."""
        if self._devices is None:
            self._devices = self._open()
            self._used_before = self._sum_used()
        if not self._devices:
            return None
        held = self._list_processes()
        ours = [size for pid, size in held if pid in pids]
        if ours or not held or any(_is_here(pid) for pid, _ in held):
            return sum(ours)
        used = self._sum_used()
        if used is None or self._used_before is None:
            return None
        return max(0, used - self._used_before)

    def _open(self) -> list[Questions]:
        try:
            binding = self._load()
        except OSError:
            return []
        if binding is None:
            return []
        try:
            binding.nvmlInit()
            count = binding.nvmlDeviceGetCount()
            handles = [binding.nvmlDeviceGetHandleByIndex(index) for index in range(count)]
        except binding.NVMLError:
            return []
        return [Questions(binding, handle) for handle in handles]

    def _list_processes(self) -> list[tuple[int, int]]:
        return [
            (process.pid, process.usedGpuMemory or 0)
            for device in self._devices or ()
            for functions in _LISTS
            for process in device.first(*functions) or ()
        ]

    def _sum_used(self) -> int | None:
        answers = [_read_memory(device) for device in self._devices or ()]
        known = [int(answer.used) for answer in answers if answer is not None]
        return sum(known) if known else None


def _is_here(pid: int) -> bool:
    """Whether the driver's numbers are those of this machine."""
    return Path(f"/proc/{pid}").exists()


def _read_memory(device: Questions) -> Any:
    # Old drivers know the first version only, which counts what they reserve for themselves.
    second = device("nvmlDeviceGetMemoryInfo", device.nvml.nvmlMemory_v2)
    return device("nvmlDeviceGetMemoryInfo") if second is None else second
