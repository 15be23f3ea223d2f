"""Keeps what TensorFlow takes of each GPU below a limit, whatever the script sets for its devices.

`tf.config.set_logical_device_configuration` is the public way, and no way here: after it,
`set_memory_growth` of a script raises, and one of the script itself lifts the limit. All settings
end in the options that TensorFlow builds when it begins to use its devices. There the limit comes
last, memory growth stays what the script wants, and the script sees its own settings only.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

Lowered = Callable[[int], None]
"""Gets the bytes of a GPU that the script allows, where that is more than the limit."""
_MIB = 2**20


class MemoryLimit:
    """What TensorFlow may take of each GPU.

    Args:
        limit_bytes: Whole MiB of it count.
        begins: Called before GPUs are used.
        lowered: Called where the script allows more.
        left_alone: Called where the script allows a share of each GPU, as in TensorFlow 1: beside
            that, TensorFlow takes no limit.
    """

    def __init__(
        self,
        limit_bytes: int,
        begins: Callable[[], None],
        lowered: Lowered,
        left_alone: Callable[[], None],
    ) -> None:
        self._limit_mib = limit_bytes // _MIB
        self._begins = begins
        self._lowered = lowered
        self._left_alone = left_alone

    def wrap_options(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """`Context._compute_gpu_options`; each visible GPU has an entry, or none of them has."""

        @functools.wraps(original)
        def compute(context: Any) -> Any:
            options = original(context)
            gpus = [name for name in options.visible_device_list.split(",") if name]
            if not gpus:
                return options
            self._begins()
            if _has_share(context):
                self._left_alone()
                return options
            parts = options.experimental.virtual_devices
            for _ in gpus if not parts else ():
                parts.add()
            for part in parts:
                part.memory_limit_mb[:] = self._limit(part.memory_limit_mb)
            return options

        return compute

    def _limit(self, wanted_mib: Sequence[float]) -> list[float]:
        """The parts that a script has made of a GPU, smaller where they are too large together."""
        if not wanted_mib:
            return [self._limit_mib]
        whole = sum(wanted_mib)
        if whole <= self._limit_mib:
            return list(wanted_mib)
        self._lowered(int(whole * _MIB))
        return [wanted * self._limit_mib / whole for wanted in wanted_mib]


def list_limits() -> list[int]:
    """Bytes that TensorFlow may take of each GPU, or of each part of one, where it has a limit."""
    from tensorflow.python.eager import context

    parts = context.context().config.gpu_options.experimental.virtual_devices
    return [int(limit * _MIB) for part in parts for limit in part.memory_limit_mb if limit]


def _has_share(context: Any) -> bool:
    """Whether it was made with `ConfigProto(gpu_options=…(per_process_gpu_memory_fraction=…))`."""
    given = context._config
    return given is not None and given.gpu_options.per_process_gpu_memory_fraction > 0
