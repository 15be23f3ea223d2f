"""The memory limit of a trial: what the parent sets around the child, and the child inside."""

from collections.abc import Mapping

from fitguard.contract.runtime import fix_device_settings
from fitguard.memory.measuring.request import Device
from fitguard.memory.visible_gpus import VISIBLE, with_gpus


class NoGpu(Exception):
    """TensorFlow sees none in the child."""


def child_environment(
    surrounding: Mapping[str, str], device: Device, limit_mib: int | None
) -> dict[str, str]:
    """The environment of the child.

    On the CPU, TensorFlow's allocator for GPUs counts the memory: it obeys a limit as well. On a
    GPU the limited memory is one region, as the measurements that the planner was made with.
    """
    own = {**with_gpus(surrounding), "KERAS_BACKEND": "tensorflow", "PYTHONFAULTHANDLER": "1"}
    if device == "gpu":
        return own | {"TF_FORCE_GPU_ALLOW_GROWTH": "true" if limit_mib is None else "false"}
    own |= {VISIBLE: "-1", "TF_CPU_ALLOCATOR_USE_BFC": "1"}
    return own if limit_mib is None else own | {"TF_CPU_BFC_MEM_LIMIT_IN_MB": str(limit_mib)}


def confine(device: Device, limit_mib: int | None) -> str:
    """Let TensorFlow, which is not in use yet, have the first GPU alone; returns its name.

    Raises:
        NoGpu: where there is none.
    """
    import tensorflow as tf

    if device == "cpu":
        return "CPU"
    gpus = tf.config.list_physical_devices("GPU")
    if not gpus:
        raise NoGpu
    tf.config.set_visible_devices(gpus[:1], "GPU")
    if limit_mib is not None:
        limit = tf.config.LogicalDeviceConfiguration(memory_limit=limit_mib)
        tf.config.set_logical_device_configuration(gpus[0], [limit])
    # Scripts set memory growth or limits of their own, which would raise, or lift ours.
    fix_device_settings()
    return str(tf.config.experimental.get_device_details(gpus[0]).get("device_name", ""))


def peak_bytes(device: Device) -> int:
    """The most that the allocator held at once."""
    import tensorflow as tf

    return int(tf.config.experimental.get_memory_info(f"{device.upper()}:0")["peak"])
