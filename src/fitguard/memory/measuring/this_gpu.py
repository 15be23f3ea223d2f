"""The GPU that a child will use, as NVML tells it."""

from collections.abc import Mapping, Sequence

from fitguard.knowledge import knowledge
from fitguard.knowledge.gpus import USUAL_CAPABILITY, words
from fitguard.memory.visible_gpus import VISIBLE, with_gpus
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu
from fitguard.schema.versions import parse
from fitguard.words import size

_TAKEN_SHARE = 0.1


def this_gpu(gpus: Sequence[Gpu], surrounding: Mapping[str, str]) -> Gpu:
    """The first one that CUDA_VISIBLE_DEVICES lets through.

    CUDA may number GPUs of different models in another order than NVML: the name that counts is the
    one that the child tells.

    Raises:
        UsageError: where there is none.
    """
    asked = with_gpus(surrounding).get(VISIBLE)
    first = None if asked is None else asked.split(",")[0].strip()
    found = [gpu for gpu in gpus if first is None or _is_meant(gpu, first)]
    if not found:
        none = f"{VISIBLE}={asked} hides them all" if gpus else "the driver shows none here"
        raise UsageError(
            f"Received measure=True, which needs a GPU, and {none}. Expected a machine with an "
            "NVIDIA GPU; without --measure (measure=True) the plan needs none"
        )
    return found[0]


def usable_bytes(gpu: Gpu, least_bytes: int) -> int:
    """What TensorFlow's allocator can have of it now.

    Args:
        least_bytes: What the step needs for sure.

    Raises:
        UsageError: where others hold so much of it that a measurement would tell nothing.
    """
    memory = knowledge().gpu_memory
    total_bytes, used_bytes = gpu.memory_bytes or 0, gpu.used_bytes or 0
    free_bytes = max(0, total_bytes - used_bytes - memory.driver_bytes(total_bytes))
    major = parse(gpu.compute_capability or USUAL_CAPABILITY)[0]
    usable = memory.usable_bytes(free_bytes, major)
    if usable < least_bytes and used_bytes > _TAKEN_SHARE * total_bytes:
        raise UsageError(
            f"Received measure=True for a step that needs {size(least_bytes)} or more, but only "
            f"{size(usable)} of {gpu.name or 'the GPU'} can be had: {size(used_bytes)} are taken. "
            "Expected a free GPU. In a notebook TensorFlow itself takes it all; "
            "TF_FORCE_GPU_ALLOW_GROWTH=true, set before TensorFlow is imported, avoids that"
        )
    return usable


def same_gpu(one: str, other: str) -> bool:
    """Whether two names mean the same model: `RTX 3060`, `NVIDIA GeForce RTX 3060`."""
    if words(one) == words(other):
        return True
    return not _models(one).isdisjoint(_models(other))


def _models(name: str) -> set[str]:
    """Those that a name can mean; a laptop's only where it says so."""
    found = knowledge().gpus.find(name)
    return {model.name for model in found if not model.in_laptops} or {one.name for one in found}


def _is_meant(gpu: Gpu, entry: str) -> bool:
    """`0`, or the beginning of a UUID."""
    if entry.isdigit():
        return gpu.index == int(entry)
    return entry.startswith("GPU-") and (gpu.uuid or "").startswith(entry)
