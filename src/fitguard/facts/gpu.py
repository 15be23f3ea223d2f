"""GPUs, as NVML tells them. Every question may be refused; that costs its own field only."""

import os
from typing import Any

from fitguard.facts.nvml_questions import Questions
from fitguard.schema.hardware import Gpu, GpuProcess

ARCHITECTURES = {
    2: "Kepler",
    3: "Maxwell",
    4: "Pascal",
    5: "Volta",
    6: "Turing",
    7: "Ampere",
    8: "Ada",
    9: "Hopper",
    10: "Blackwell",
    13: "Rubin",
}
COMPUTE_MODES = {0: "Default", 1: "Exclusive_Thread", 2: "Prohibited", 3: "Exclusive_Process"}
RECOVERY_ACTIONS = {
    0: "none",
    1: "gpu-reset",
    2: "node-reboot",
    3: "drain-p2p",
    4: "drain-and-reset",
    5: "recover-imex-domain",
    6: "bus-reset",
    7: "system-reboot",
}
# Idle clocks and clocks that a person set are no fault and have no word here.
THROTTLE_BITS = {
    0x04: "sw-power-cap",
    0x08: "hw-slowdown",
    0x20: "sw-thermal",
    0x40: "hw-thermal",
    0x80: "hw-power-brake",
}


def read(nvml: Any) -> tuple[Gpu, ...]:
    """All GPUs of an opened NVML: the binding, or a replay of a recording."""
    return tuple(_gpu(nvml, index) for index in range(nvml.nvmlDeviceGetCount()))


def _gpu(nvml: Any, index: int) -> Gpu:
    try:
        ask = Questions(nvml, nvml.nvmlDeviceGetHandleByIndex(index))
    except nvml.NVMLError as error:
        return Gpu(index=index, problem=str(error), origin="NVML")
    fields = _identity(ask) | _memory(ask) | _health(ask) | _heat_and_power(ask) | _modes(ask)
    fields |= _read_link(ask)
    return Gpu(index=index, problem=ask.problem, origin="NVML", **fields)


def _identity(ask: Questions) -> dict[str, Any]:
    capability = ask("nvmlDeviceGetCudaComputeCapability")
    return {
        "name": ask("nvmlDeviceGetName"),
        "uuid": ask("nvmlDeviceGetUUID"),
        "pci_address": read_pci_address(ask),
        "compute_capability": capability and f"{capability[0]}.{capability[1]}",
        "architecture": ARCHITECTURES.get(ask("nvmlDeviceGetArchitecture")),
    }


def read_pci_address(ask: Questions) -> str | None:
    """NVML's `00000000:65:00.0` as the kernel writes it: `0000:65:00.0`."""
    info = ask("nvmlDeviceGetPciInfo")
    if info is None:
        return None
    bus_id = info.busId.decode() if isinstance(info.busId, bytes) else info.busId
    domain, _, place = bus_id.partition(":")
    return f"{int(domain, 16):04x}:{place.lower()}"


def _memory(ask: Questions) -> dict[str, Any]:
    # The first version counts what the driver reserves as used; the second does not.
    memory = ask("nvmlDeviceGetMemoryInfo", ask.nvml.nvmlMemory_v2)
    if memory is None:
        memory = ask("nvmlDeviceGetMemoryInfo")
    return {
        "memory_bytes": memory and memory.total,
        "used_bytes": memory and memory.used,
        "processes": _processes(ask),
    }


def _processes(ask: Questions) -> tuple[GpuProcess, ...] | None:
    answers = [
        ask.first(
            f"nvmlDeviceGet{kind}RunningProcesses_v3", f"nvmlDeviceGet{kind}RunningProcesses_v2"
        )
        for kind in ("Compute", "Graphics")
    ]
    if all(answer is None for answer in answers):
        return None
    used: dict[int, int | None] = {}
    for process in (process for answer in answers for process in answer or ()):
        known = (used.get(process.pid), process.usedGpuMemory)
        used[process.pid] = max((size for size in known if size is not None), default=None)
    system = Questions(ask.nvml)
    return tuple(
        GpuProcess(pid, system("nvmlSystemGetProcessName", pid), size, pid == os.getpid())
        for pid, size in sorted(used.items())
    )


def _health(ask: Questions) -> dict[str, Any]:
    nvml = ask.nvml
    ecc = ask("nvmlDeviceGetEccMode")
    uncorrected = nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED
    retired = [ask("nvmlDeviceGetRetiredPages", cause) for cause in (0, 1)]
    known = [len(pages) for pages in retired if pages is not None]
    remapped = ask("nvmlDeviceGetRemappedRows")
    return {
        "ecc_enabled": ecc and bool(ecc[0]),
        "ecc_uncorrected": ask("nvmlDeviceGetTotalEccErrors", uncorrected, nvml.NVML_VOLATILE_ECC),
        "ecc_uncorrected_lifetime": ask(
            "nvmlDeviceGetTotalEccErrors", uncorrected, nvml.NVML_AGGREGATE_ECC
        ),
        "retired_pages": sum(known) if known else None,
        "retirement_pending": _flag(ask("nvmlDeviceGetRetiredPagesPendingStatus")),
        "remapped_rows_pending": remapped and bool(remapped[2]),
        "remapped_rows_failed": remapped and bool(remapped[3]),
        "recovery_action": _recovery_action(ask),
    }


def _recovery_action(ask: Questions) -> str | None:
    field = getattr(ask.nvml, "NVML_FI_DEV_GET_GPU_RECOVERY_ACTION", None)
    values = field and ask("nvmlDeviceGetFieldValues", [field])
    if not values or values[0].nvmlReturn != 0:
        return None
    return RECOVERY_ACTIONS.get(values[0].value.uiVal)


def _heat_and_power(ask: Questions) -> dict[str, Any]:
    reasons = ask.first(
        "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"
    )
    temperature = ask.first(
        "nvmlDeviceGetTemperature",
        "nvmlDeviceGetTemperatureV",
        arguments=(ask.nvml.NVML_TEMPERATURE_GPU,),
    )
    return {
        "temperature_celsius": temperature,
        "slowdown_celsius": _slowdown(ask, temperature),
        "throttled_by": tuple(word for bit, word in THROTTLE_BITS.items() if (reasons or 0) & bit),
        "power_limit_watts": _watts(ask("nvmlDeviceGetPowerManagementLimit")),
        "power_default_watts": _watts(ask("nvmlDeviceGetPowerManagementDefaultLimit")),
    }


def _slowdown(ask: Questions, temperature: int | None) -> int | None:
    threshold: int | None = ask(
        "nvmlDeviceGetTemperatureThreshold", ask.nvml.NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
    )
    if threshold is not None or temperature is None:
        return threshold
    # Ada and later tell the distance to the threshold instead of the threshold.
    margin = ask("nvmlDeviceGetMarginTemperature")
    return None if margin is None else temperature + margin


def _modes(ask: Questions) -> dict[str, Any]:
    mig = ask("nvmlDeviceGetMigMode")
    return {
        "mig_enabled": mig and bool(mig[0]),
        "compute_mode": COMPUTE_MODES.get(ask("nvmlDeviceGetComputeMode")),
        "persistence": _flag(ask("nvmlDeviceGetPersistenceMode")),
        # An H200 without any connector says that a display is attached, but none active.
        "display_attached": _flag(
            ask.first("nvmlDeviceGetDisplayActive", "nvmlDeviceGetDisplayMode")
        ),
    }


def _read_link(ask: Questions) -> dict[str, Any]:
    return {
        "pcie_generation": ask("nvmlDeviceGetCurrPcieLinkGeneration"),
        "pcie_width": ask("nvmlDeviceGetCurrPcieLinkWidth"),
        "pcie_generation_most": ask("nvmlDeviceGetMaxPcieLinkGeneration"),
        "pcie_width_most": ask("nvmlDeviceGetMaxPcieLinkWidth"),
    }


def _flag(answer: int | None) -> bool | None:
    return None if answer is None else bool(answer)


def _watts(milliwatts: int | None) -> float | None:
    return None if milliwatts is None else milliwatts / 1000
