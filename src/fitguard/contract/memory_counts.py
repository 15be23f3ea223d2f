"""TensorFlow's counts of its allocators, with a peak for us beside that of the user."""

import functools
import threading
from collections.abc import Callable

_Key = tuple[str | None, int | None]


class MemoryCounts:
    """In use and at most, by device; resetting the peak here leaves the user's as it was.

    `tf.config.experimental.get_memory_info` has several copies; all of them end in the context.
    There, what the user asks gets the peak since the last reset of the user's own.
    """

    def __init__(self) -> None:
        from tensorflow.python.eager import context

        tensorflow = context.context()
        self._get: Callable[[str], dict[str, int]] = tensorflow.get_memory_info
        self._reset: Callable[[str], None] = tensorflow.reset_memory_stats
        self._lock = threading.Lock()
        self._theirs: dict[_Key, int] = {}
        self._ours: dict[_Key, int] = {}
        tensorflow.get_memory_info = self._answer_user
        tensorflow.reset_memory_stats = self._obey_user

    def read(self, device: str) -> dict[str, int]:
        """`current` and `peak`, the latter since `take_peak`.

        Raises:
            ValueError: where TensorFlow does not count, as on the CPU.
        """
        info = self._get(device)
        if self._ours:
            info["peak"] = max(info["peak"], self._ours.get(_key(device), 0))
        return info

    def take_peak(self, device: str) -> int:
        """The peak, which begins anew then.

        Call it between two steps: what is allocated and freed while it runs may be missed.

        Raises:
            ValueError: as `read`.
        """
        key = _key(device)
        with self._lock:
            peak = int(self._get(device)["peak"])
            self._reset(device)
            self._theirs[key] = max(peak, self._theirs.get(key, 0))
            return max(peak, self._ours.pop(key, 0))

    def _answer_user(self, device: str) -> dict[str, int]:
        with self._lock:
            info = self._get(device)
            return {**info, "peak": max(info["peak"], self._theirs.get(_key(device), 0))}

    def _obey_user(self, device: str) -> None:
        with self._lock:
            peak = int(self._get(device)["peak"])
            self._reset(device)
            key = _key(device)
            self._theirs.pop(key, None)
            self._ours[key] = max(peak, self._ours.get(key, 0))


@functools.cache
def _key(name: str) -> _Key:
    """One for all ways to write a device: `GPU:0`, `/device:GPU:0`, `/gpu:0`."""
    import tensorflow as tf

    spec = tf.DeviceSpec.from_string(name if name.startswith("/") else f"/device:{name}")
    return spec.device_type, spec.device_index
