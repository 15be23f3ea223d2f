"""The memory that training has here, looked at before TensorFlow takes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fitguard.schema.hardware import Gpu

_DRIVER = Path("/dev/nvidiactl")
_MIB = 2**20


@dataclass(frozen=True)
class Card:
    """A GPU, or what stands for one.

    Args:
        free_bytes: Before this process takes any.
        is_gpu: False for the limit of the CPU's allocator.
    """

    name: str
    memory_bytes: int
    free_bytes: int
    is_gpu: bool = True


def card_here(surrounding: Mapping[str, str]) -> Card | None:
    """The GPU with the least free memory of those that TensorFlow will see.

    Without one: the limit that was set for TensorFlow's allocator on the CPU; None without that.
    """
    if _DRIVER.exists():
        from fitguard.facts import nvml

        found = _least(nvml.read().gpus or (), surrounding.get("CUDA_VISIBLE_DEVICES"))
        if found is not None:
            return found
    limit = surrounding.get("TF_CPU_BFC_MEM_LIMIT_IN_MB", "")
    if surrounding.get("TF_CPU_ALLOCATOR_USE_BFC", "") in ("1", "true") and limit.isdecimal():
        size = int(limit) * _MIB
        return Card("CPU allocator", size, size, is_gpu=False)
    return None


def list_own_limits() -> list[int]:
    """What the script itself allows TensorFlow on each GPU, where it has set a limit."""
    import tensorflow as tf

    limits = [
        device.memory_limit
        for gpu in tf.config.list_physical_devices("GPU")
        for device in tf.config.get_logical_device_configuration(gpu) or ()
    ]
    return [int(limit) * 2**20 for limit in limits if limit]


def _least(gpus: tuple[Gpu, ...], visible: str | None) -> Card | None:
    cards = [
        Card(gpu.name or "GPU", gpu.memory_bytes, gpu.memory_bytes - (gpu.used_bytes or 0))
        for gpu in gpus
        if gpu.memory_bytes and _is_visible(gpu, visible)
    ]
    return min(cards, key=lambda card: card.free_bytes, default=None)


def _is_visible(gpu: Gpu, visible: str | None) -> bool:
    if visible is None:
        return True
    named = [name.strip() for name in visible.split(",")]
    return str(gpu.index) in named or bool(gpu.uuid and gpu.uuid in named)
