"""Whether there is more memory than when a batch had to be trained in less."""

import os
from dataclasses import replace
from typing import Any

from fitguard.keras.card import Card, card_here
from fitguard.keras.fitting.planned_rows import size_of
from fitguard.keras.sampling import read_allocator

_MORE, _MORE_BATCHES = 0.2, 4
"""So much more of the card must be free before larger parts are tried, and so many batches: how
many of these are read ahead differs from run to run, and must decide nothing."""


class Growing:
    """Looks at the memory at the beginning of each epoch.

    Args:
        card: As it was before this process took any of it; None where nothing is known of it.
    """

    def __init__(self, card: Card | None) -> None:
        self._card = card
        self._free: int | None = None
        self._epoch: int | None = None

    def note_shrunk(self) -> None:
        """From now on, the batch is trained in less memory."""
        self._free = self._read_free()

    def find_more(self, epoch: int, batch: Any) -> Card | None:
        """The card with more memory than then; None where it has no more, or was just asked."""
        is_new, self._epoch = epoch != self._epoch, epoch
        if not is_new or self._card is None or self._free is None:
            return None
        free = self._read_free()
        margin = _MORE * self._card.memory_bytes + _MORE_BATCHES * _count_bytes(batch)
        if free is None or free < self._free + margin:
            # A new process may have begun with more than the one in which the batch did not fit.
            self._free = min(self._free, free if free is not None else self._free)
            return None
        self._free = free
        return self._card if not self._card.is_gpu else replace(self._card, free_bytes=free)

    def _read_free(self) -> int | None:
        """What TensorFlow could have: it keeps what it does not use, and nobody else gets that."""
        if self._card is None:
            return None
        held = read_allocator(self._card)
        current = held["current"] if held is not None else 0
        if not self._card.is_gpu:
            return self._card.free_bytes - current
        now = card_here(os.environ)
        return now.free_bytes + current if now is not None else None


def _count_bytes(batch: Any) -> int:
    import tensorflow as tf

    leaves = [one for one in tf.nest.flatten(batch) if getattr(one, "shape", None) is not None]
    return sum(size_of(one.shape) * int(one.dtype.size) for one in leaves)
