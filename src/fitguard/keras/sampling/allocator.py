"""What TensorFlow's allocator holds: of the GPUs, or of the CPU where that has a limit."""

import contextlib
from typing import Any

from fitguard.keras.card import Card, allow_less


class Allocator:
    """The allocator of the device that holds most.

    TensorFlow does not tell its largest free block: to try would take the memory that the training
    needs, and ten seconds where it fails.

    Args:
        card: The memory that is here.
    """

    def __init__(self, card: Card) -> None:
        from fitguard.contract.memory_counts import MemoryCounts

        self._counts = MemoryCounts()
        self._devices = list_devices(card)
        self._device = self._devices[0]
        self.limit_bytes = allow_less(card).free_bytes

    def read(self) -> dict[str, int] | None:
        """`current` and `peak` since `take_peak`; None where TensorFlow does not count."""
        with contextlib.suppress(ValueError, RuntimeError):
            return self._counts.read(self._device)
        return None

    def take_peak(self) -> int | None:
        """The most that was in use since the last call; between two steps only."""
        with contextlib.suppress(ValueError, RuntimeError):
            return self._counts.take_peak(self._device)
        return None

    def find_fullest(self) -> None:
        """Look at the device that holds most from now on."""
        if len(self._devices) > 1:
            held = {device: _read(self._counts.read, device) for device in self._devices}
            self._device = max(held, key=lambda device: held[device]["current"])


def read_allocator(card: Card) -> dict[str, int] | None:
    """In use now, and at most so far, on the device that holds most; None where none tells."""
    import tensorflow as tf

    ask = tf.config.experimental.get_memory_info
    told = [info for name in list_devices(card) if (info := _read(ask, name))["peak"] >= 0]
    return max(told, key=lambda info: info["current"], default=None)


def list_devices(card: Card) -> list[str]:
    """`GPU:0`, `GPU:1`, …"""
    import tensorflow as tf

    kind = "GPU" if card.is_gpu else "CPU"
    count = len(tf.config.list_logical_devices(kind))
    return [f"{kind}:{number}" for number in range(count)] or ["CPU:0"]


def _read(ask: Any, device: str) -> dict[str, int]:
    with contextlib.suppress(ValueError, RuntimeError):
        return {name: int(value) for name, value in ask(device).items()}
    return {"current": -1, "peak": -1}
