"""What nvidia-smi shows for the process of a training."""

from fitguard.knowledge import knowledge
from fitguard.schema.plan import Range

LIBRARIES_BYTES = 80 * 2**20
"""What cuBLAS, cuDNN and their kernels added to the context in 33 runs on an H200."""


def process_bytes(comfortable: Range) -> Range:
    """With memory growth: the context, and regions that double whenever one is full.

    On an H200 the regions held the peak, rounded up to a power of two, in 25 of 33 runs, and twice
    that in the others (bench/plan/measured.csv).
    """
    beside = knowledge().gpu_memory.context_bytes + LIBRARIES_BYTES
    return Range(
        comfortable.low + beside,
        _power_of_two(comfortable.likely) + beside,
        2 * _power_of_two(comfortable.high) + beside,
    )


def _power_of_two(size_bytes: int) -> int:
    return 1 << (size_bytes - 1).bit_length()
