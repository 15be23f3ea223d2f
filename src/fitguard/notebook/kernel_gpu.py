"""GPU memory belongs to the training process: the kernel takes as little as it can.

TensorFlow takes nearly all memory of a GPU with its first operation, and a model that is built in
the kernel is one. Told in time, it takes only what it needs.
"""

import os
import sys

from fitguard.contract.runtime import devices_in_use

_GROWTH = "TF_FORCE_GPU_ALLOW_GROWTH"
_set_here = False


def leave_gpu_memory() -> None:
    """Let TensorFlow in this process take only what it needs, where it has not begun yet."""
    global _set_here
    if _GROWTH not in os.environ and not devices_in_use():
        os.environ[_GROWTH] = "true"
        _set_here = True


def child_environment() -> dict[str, str]:
    """That of the training: as the user made it, without what was set here for the kernel."""
    environment = dict(os.environ)
    if _set_here:
        environment.pop(_GROWTH, None)
    return environment


def warn_about_gpu() -> None:
    """Say it where this process holds nearly all memory of a GPU: the training gets the rest."""
    if not devices_in_use() or os.environ.get(_GROWTH, "").lower() in ("true", "1"):
        return
    config = sys.modules["tensorflow"].config
    greedy = [
        device.name.removeprefix("/physical_device:")
        for device in config.get_visible_devices("GPU")
        if not config.experimental.get_memory_growth(device)
    ]
    if greedy:
        sys.stderr.write(
            f"fitguard: this kernel holds nearly all memory of {', '.join(greedy)}, and the "
            "training gets what is left. Restart the kernel and begin with `%load_ext fitguard`: "
            "TensorFlow then takes only what it needs here.\n"
        )
