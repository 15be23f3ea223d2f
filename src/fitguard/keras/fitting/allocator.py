"""What TensorFlow's allocator holds, written down now and then."""

import time
from typing import Any

from fitguard.keras.fitting.card import Card
from fitguard.keras.session import Session
from fitguard.monitor.journal import now
from fitguard.monitor.samples import append_sample
from fitguard.schema.run import MemorySample

_EVERY_SECONDS = 10.0


class AllocatorWatch:
    """Samples the allocators of the GPUs, or of the CPU where that has a limit.

    Args:
        card: None where there is nothing to be watched.
    """

    def __init__(self, session: Session, card: Card | None) -> None:
        self._session = session
        self._card = card
        self._next = 0.0

    def look(self, total_steps: int) -> None:
        """Between two steps; mostly it does nothing."""
        if self._card is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _EVERY_SECONDS
        held = allocator_now(self._card)
        if held is None:
            return
        sample = MemorySample(
            time=now(),
            attempt=self._session.orders.attempt,
            total_steps=total_steps,
            allocator_bytes=held["current"],
            allocator_peak_bytes=held["peak"],
            allocator_limit_bytes=self._card.free_bytes,
        )
        append_sample(self._session.folder.samples, sample)


def allocator_now(card: Card) -> dict[str, int] | None:
    """In use now, and at most so far, on the device that holds most; None where none tells."""
    import tensorflow as tf

    kind = "GPU" if card.is_gpu else "CPU"
    told: list[Any] = []
    for device in tf.config.list_logical_devices(kind):
        try:
            told.append(tf.config.experimental.get_memory_info(device.name))
        except (ValueError, RuntimeError):
            continue
    if not told:
        return None
    fullest = max(told, key=lambda info: info["current"])
    return {"current": int(fullest["current"]), "peak": int(fullest["peak"])}
