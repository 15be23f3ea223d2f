"""What NVML tells of GPUs while a training runs. Each question may be refused."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fitguard.facts import nvml
from fitguard.facts.gpu import read_pci_address
from fitguard.facts.nvml_questions import Questions
from fitguard.monitor.sampling.host import Values
from fitguard.monitor.sampling.visible_gpus import select_parts, select_visible
from fitguard.schema.metrics import METRICS

GPU_METRICS = tuple(name for name, metric in METRICS.items() if metric.each_gpu)
_LISTS = tuple(
    tuple(f"nvmlDeviceGet{kind}RunningProcesses{version}" for version in ("_v3", "_v2"))
    for kind in ("Compute", "Graphics")
)
_MEGAHERTZ = 1e6


@dataclass
class Device:
    """One GPU.

    Args:
        index: As NVML and nvidia-smi number it.
        ask: Questions to it; of one that is parted with MIG, `parts` know of memory.
        pci_address: As the kernel's log names it.
        highest_clock: Of its processors, in hertz.
        used_before: What all processes held at the first question.
    """

    index: int
    ask: Questions
    parts: list[Questions] = field(default_factory=list)
    pci_address: str | None = None
    highest_clock: float | None = None
    used_before: int | None = None

    @property
    def problem(self) -> str | None:
        """What NVML said when the GPU was lost."""
        problems = (one.problem for one in (self.ask, *self.parts))
        return next((problem for problem in problems if problem), None)


class GpuReader:
    """Asks NVML, which is loaded here; a machine without it has no GPUs to be read.

    In a container the driver may name processes by numbers of the host. Where it knows none of
    ours, what a GPU uses more than at the first question is taken for theirs.

    Args:
        environment: Of the training: it may see a part of the GPUs.
        load: Gives the binding.

    Attributes:
        devices: The GPUs that the training sees.
        missing: Sentences on what NVML cannot tell.

    Example:
        >>> GpuReader(os.environ).read([os.getpid()])["gpu_used_bytes:0"]
    """

    def __init__(
        self, environment: Mapping[str, str] | None = None, load: Callable[[], Any] = nvml.load
    ) -> None:
        self.devices: list[Device] = []
        self.missing: list[str] = []
        self.binding: Any = None
        try:
            self.binding = load()
            if self.binding is not None:
                self.binding.nvmlInit()
                self.devices = list(self._open(environment or {}))
        except OSError as error:
            self.missing.append(f"NVML cannot be loaded: {error}")
        except getattr(self.binding, "NVMLError", ()) as error:
            self.missing.append(f"NVML does not work: {error}")
        for device in self.devices:
            device.used_before = _sum_known(memory.used for memory in _read_memories(device))

    def _open(self, environment: Mapping[str, str]) -> Iterable[Device]:
        """All, but for those that do not answer, and those that the training does not see."""
        nvml = self.binding
        found = {}
        for index in range(nvml.nvmlDeviceGetCount()):
            try:
                found[index] = Questions(nvml, nvml.nvmlDeviceGetHandleByIndex(index))
            except nvml.NVMLError as error:
                self.missing.append(f"NVML does not open GPU {index}: {error}")
        for index, ask in select_visible(found, environment).items():
            parts, _ = select_parts(ask, environment)
            if parts:
                self.missing.append(
                    f"GPU {index} is parted with MIG: NVML tells memory of its parts, and heat and "
                    "power of the whole"
                )
            # It takes a millisecond to ask, and does not change.
            highest = ask("nvmlDeviceGetMaxClockInfo", nvml.NVML_CLOCK_SM)
            yield Device(index, ask, parts, read_pci_address(ask), _scale(highest, _MEGAHERTZ))

    @property
    def columns(self) -> tuple[str, ...]:
        """Of the flight record."""
        return tuple(f"{name}:{one.index}" for one in self.devices for name in GPU_METRICS)

    def read(self, pids: Collection[int]) -> Values:
        """All but Xids, by column.

        Args:
            pids: Of the training and its helpers.
        """
        values: Values = {}
        for device in self.devices:
            answers = {**_read_memory(device, pids), **_read_work(device.ask)}
            answers |= {**_read_errors(device.ask), "gpu_clock_limit": device.highest_clock}
            values |= {f"{name}:{device.index}": answer for name, answer in answers.items()}
            if device.problem is not None:
                sentence = f"GPU {device.index} no longer answers: {device.problem}"
                self.missing += [sentence] if sentence not in self.missing else []
        return values


def _read_memory(device: Device, pids: Collection[int]) -> Values:
    memories = _read_memories(device)
    used = _sum_known(memory.used for memory in memories)
    return {
        "gpu_used_bytes": used,
        "gpu_total_bytes": _sum_known(memory.total for memory in memories),
        "gpu_process_bytes": _find_own_bytes(device, pids, used),
    }


def _find_own_bytes(device: Device, pids: Collection[int], used: int | None) -> int | None:
    held = [
        (process.pid, process.usedGpuMemory)
        for ask in device.parts or [device.ask]
        for functions in _LISTS
        for process in ask.first(*functions) or ()
    ]
    ours = [size for pid, size in held if pid in pids]
    if ours or not held or any(_is_here(pid) for pid, _ in held):
        return None if device.problem or None in ours else sum(ours)
    if used is None or device.used_before is None:
        return None
    return max(0, used - device.used_before)


def _is_here(pid: int) -> bool:
    """Whether the driver's numbers are those of this machine."""
    return Path(f"/proc/{pid}").exists()


def _read_memories(device: Device) -> list[Any]:
    found = []
    for ask in device.parts or [device.ask]:
        # Old drivers know the first version only, which counts what they reserve for themselves.
        memory = ask("nvmlDeviceGetMemoryInfo", ask.nvml.nvmlMemory_v2)
        memory = ask("nvmlDeviceGetMemoryInfo") if memory is None else memory
        found += [memory] if memory is not None else []
    return found


def _read_work(ask: Questions) -> Values:
    busy = ask("nvmlDeviceGetUtilizationRates")
    clock = ask("nvmlDeviceGetClockInfo", ask.nvml.NVML_CLOCK_SM)
    return {
        "gpu_busy_ratio": busy and busy.gpu / 100,
        "gpu_temperature": ask.first(
            "nvmlDeviceGetTemperature",
            "nvmlDeviceGetTemperatureV",
            arguments=(ask.nvml.NVML_TEMPERATURE_GPU,),
        ),
        "gpu_power": _scale(ask("nvmlDeviceGetPowerUsage"), 1e-3),
        "gpu_power_limit": _scale(
            ask.first("nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"), 1e-3
        ),
        "gpu_clock": _scale(clock, _MEGAHERTZ),
        "gpu_throttle_reasons": ask.first(
            "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"
        ),
    }


def _read_errors(ask: Questions) -> Values:
    """Since the driver was loaded."""
    nvml = ask.nvml
    corrected, uncorrected = (
        ask("nvmlDeviceGetTotalEccErrors", kind, nvml.NVML_VOLATILE_ECC)
        for kind in (
            nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED,
            nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
        )
    )
    return {
        "gpu_ecc_corrected": corrected,
        "gpu_ecc_uncorrected": uncorrected,
        "gpu_pcie_replays": ask("nvmlDeviceGetPcieReplayCounter"),
    }


def _scale(number: float | None, factor: float) -> float | None:
    return None if number is None else number * factor


def _sum_known(numbers: Iterable[int]) -> int | None:
    known = [int(number) for number in numbers]
    return sum(known) if known else None
