"""The GPUs that CUDA_VISIBLE_DEVICES leaves to a program."""

import msgspec

from fitguard.checks.framework.fixtures import fixture
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu


class Visible(msgspec.Struct, frozen=True, kw_only=True):
    """What CUDA shows of the GPUs that the driver has.

    Args:
        gpus: Those that a program may get; all of them where the numbers do not tell which.
        count: How many a program gets.
        stopped_at: The first entry that names no GPU: CUDA ignores it and all after it.
    """

    gpus: tuple[Gpu, ...]
    count: int
    stopped_at: str | None = None


@fixture
def visible(gpus: tuple[Gpu, ...], facts: Facts) -> Visible:
    """The GPUs that training gets."""
    environment = facts.environment or {}
    value = environment.get("CUDA_VISIBLE_DEVICES")
    if value is None:
        return Visible(gpus=gpus, count=len(gpus))
    kept: list[Gpu] = []
    stopped_at = None
    for entry in (part.strip() for part in value.split(",")):
        found = _find_gpu(entry, gpus)
        if found is None:
            stopped_at = entry
            break
        kept.append(found)
    certain = _numbers_are_certain(gpus, environment) or "GPU-" in value or not kept
    return Visible(gpus=tuple(kept) if certain else gpus, count=len(kept), stopped_at=stopped_at)


def _find_gpu(entry: str, gpus: tuple[Gpu, ...]) -> Gpu | None:
    """The GPU that one entry names; a number, or the beginning of a UUID."""
    if entry.isdecimal():
        return gpus[int(entry)] if int(entry) < len(gpus) else None
    if entry.startswith("MIG-"):
        return gpus[0]
    if not entry.startswith("GPU-"):
        return None
    # A partial set of facts may lack the UUIDs: then the entry may well be right.
    return next((gpu for gpu in gpus if (gpu.uuid or entry).startswith(entry)), None)


def _numbers_are_certain(gpus: tuple[Gpu, ...], environment: dict[str, str]) -> bool:
    """CUDA counts the fastest GPU first, NVML goes by the bus; alike GPUs make no difference."""
    by_bus = environment.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
    return by_bus or len({gpu.name for gpu in gpus}) == 1
