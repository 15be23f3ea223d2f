"""What keeps a training to its part of a card, and what that part is made of.

On a GPU each process takes some memory for itself (CUDA, cuDNN), and TensorFlow's allocator can
have the rest. On a declared card, which is memory of the host, only the allocator counts.
"""

from fitguard.fleet.inspecting import NodeCard
from fitguard.knowledge import knowledge

_CAPABILITY = 9
"""Of the newest GPUs: TensorFlow leaves most free there."""


def count_footprint(pool_bytes: int) -> int:
    """What must be free on a GPU for TensorFlow's allocator to have this much."""
    return knowledge().gpu_memory.free_for_pool_bytes(pool_bytes, _CAPABILITY)


def count_pool(memory_bytes: int, card: NodeCard) -> int:
    """What TensorFlow's allocator can have of this much of a card."""
    if card.is_declared:
        return memory_bytes
    return knowledge().gpu_memory.usable_bytes(memory_bytes, _CAPABILITY)


def choose_devices(card: NodeCard) -> dict[str, str]:
    """The variables that keep a training on its card, beside those that Ray sets."""
    if card.is_declared:
        return {"CUDA_VISIBLE_DEVICES": "-1"}
    # As NVML counts them, and so do Ray and the fleet.
    return {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}
