"""How GPUs reach each other, as NVML tells it."""

from itertools import combinations
from typing import Any

from fitguard.facts.nvml_questions import Questions
from fitguard.schema.hardware import GpuLink

PATHS = {
    0: "one-board",
    10: "one-switch",
    20: "several-switches",
    30: "host-bridge",
    40: "one-processor",
    50: "several-processors",
}
REFUSALS = {
    1: "the chipset does not support it",
    2: "the GPUs do not support it",
    3: "the place of the slots does not allow it",
    4: "a setting of the driver forbids it",
    5: "it is not supported",
}
# Constants of NVML; that for reading is a tuple in the binding, by mistake.
_READ, _NVLINK = 0, 2


def read(nvml: Any) -> tuple[GpuLink, ...]:
    """Each pair of GPUs of an opened NVML."""
    handles = {}
    for index in range(nvml.nvmlDeviceGetCount()):
        try:
            handles[index] = nvml.nvmlDeviceGetHandleByIndex(index)
        except nvml.NVMLError:
            continue  # it is lost: `gpu` says so
    return tuple(
        _ask(Questions(nvml, handles[first]), handles[second], first, second)
        for first, second in combinations(handles, 2)
    )


def _ask(ask: Questions, other: Any, first: int, second: int) -> GpuLink:
    access = ask("nvmlDeviceGetP2PStatus", other, _READ)
    nvlink = ask("nvmlDeviceGetP2PStatus", other, _NVLINK)
    return GpuLink(
        first=first,
        second=second,
        path=PATHS.get(ask("nvmlDeviceGetTopologyCommonAncestor", other)),
        peer_access=None if access is None or access not in (0, *REFUSALS) else access == 0,
        nvlink=None if nvlink is None else nvlink == 0,
        refusal=REFUSALS.get(access, ""),
    )
