"""Labels of a GPU as dcgm-exporter has them, so that both can be joined."""

import functools
from collections.abc import Mapping

from fitguard.facts import nvml

GPU_LABELS = ("gpu", "UUID", "device", "modelName")


def label_gpu(index: int, *, is_here: bool) -> tuple[str, ...]:
    """Values of `GPU_LABELS`.

    Args:
        is_here: The GPU is of this machine; nobody tells the name of another's.
    """
    uuid, name = _identify_gpus().get(index, ("", "")) if is_here else ("", "")
    return (str(index), uuid, f"nvidia{index}", name)


@functools.cache
def _identify_gpus() -> Mapping[int, tuple[str, str]]:
    """UUID and name by index."""
    return {one.index: (one.uuid or "", one.name or "") for one in nvml.read().gpus or ()}
