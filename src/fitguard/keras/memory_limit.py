"""`fitguard run --memory-limit` in the training process: what it may take of each GPU."""

import os

from fitguard.contract.hooks import Role
from fitguard.contract.memory_limit import MemoryLimit
from fitguard.contract.patching import Wraps
from fitguard.keras.session import Session
from fitguard.schema.journal import UNGUARDED
from fitguard.words import size

_ALLOCATOR = "TF_GPU_ALLOCATOR"
_WITHOUT_LIMIT = "cuda_malloc_async"


def limiting_wraps(session: Session) -> Wraps:
    """Nothing where there is no limit."""
    limit_bytes = session.orders.memory_limit_bytes
    if limit_bytes is None:
        return {}

    def warn_of_allocator() -> None:
        if os.environ.get(_ALLOCATOR) == _WITHOUT_LIMIT:
            session.note(
                UNGUARDED,
                f"the training may take more than {size(limit_bytes)} of a GPU, because "
                f"{_ALLOCATOR}={_WITHOUT_LIMIT} does not keep to a limit. Unset it",
            )

    def tell_lowered(wanted_bytes: int) -> None:
        session.note(
            "memory-limit",
            f"the script allows TensorFlow {size(wanted_bytes)} of a GPU, and --memory-limit "
            f"{size(limit_bytes)}: the lower number counts",
        )

    def warn_of_share() -> None:
        session.note(
            UNGUARDED,
            f"the training may take more than {size(limit_bytes)} of a GPU, because the script "
            "sets per_process_gpu_memory_fraction, and TensorFlow takes no limit beside it",
        )

    limit = MemoryLimit(limit_bytes, warn_of_allocator, tell_lowered, warn_of_share)
    return {Role.GPU_OPTIONS_MADE: lambda original, _: limit.wrap_options(original)}
