"""TensorFlow's runtime: its devices, and whether operations are deterministic."""

import sys
from typing import Any

_EAGER = "tensorflow.python.eager.context"
_DEVICE_SETTINGS = (
    "set_visible_devices",
    "set_memory_growth",
    "set_logical_device_configuration",
)


def op_determinism_enabled() -> bool:
    """Whether `tf.config.experimental.enable_op_determinism` was called."""
    from tensorflow.python.framework.config import is_op_determinism_enabled

    return bool(is_op_determinism_enabled())


def uses_onednn() -> bool:
    """Whether operations on the CPU go through oneDNN: a question of the CPU, unless it is set."""
    from tensorflow.python.util import _pywrap_util_port

    return bool(_pywrap_util_port.IsMklEnabled())


def devices_in_use() -> bool:
    """Whether TensorFlow has begun to use devices; it is not loaded for it."""
    module: Any = sys.modules.get(_EAGER)
    # Not its function `context`: that would make one.
    context = module._context if module is not None else None
    return context is not None and bool(context._initialized)


def devices_looked_at() -> bool:
    """Whether TensorFlow has asked the driver which devices there are."""
    from tensorflow.python.eager import context

    return context.context()._physical_devices is not None


def fix_device_settings() -> None:
    """Let calls that would change the settings of devices do nothing from now on.

    `tf.config` has several copies of each function; all of them end in the context.
    """
    from tensorflow.python.eager import context

    for setting in _DEVICE_SETTINGS:
        setattr(context.context(), setting, _nothing)


def _nothing(*_: Any, **__: Any) -> None:
    """In place of a setting."""


def global_seed() -> int | None:
    """What `tf.random.set_seed` was given; None where it was not called."""
    from tensorflow.python.eager import context

    seed: int | None = context.global_seed()
    return seed
