"""The memory that training has here, looked at before TensorFlow takes it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


def allow_less(card: Card) -> Card:
    """The card as TensorFlow may use it, where the script or the user has set a limit."""
    from fitguard.contract.memory_limit import list_limits

    if not card.is_gpu:
        return card
    most = min(list_limits(), default=card.memory_bytes)
    return replace(
        card,
        memory_bytes=min(card.memory_bytes, most),
        free_bytes=min(card.free_bytes, most),
    )


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
