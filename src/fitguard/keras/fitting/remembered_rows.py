"""What made a batch fit, per model, batch and card; kept in the user's cache folder."""

import contextlib
import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from fitguard.keras.card import Card, allow_less
from fitguard.keras.fitting.planned_rows import weights_of
from fitguard.memory.measuring.store import cache_folder
from fitguard.monitor.regular_files import UNDECODABLE

_MORE_FREE = 1.1
"""With so much more free memory than then, it is worth to try the whole batch again."""


class WhatWorked(msgspec.Struct, frozen=True, kw_only=True):
    """What worked.

    Args:
        rows: Of a micro-batch; None for the whole batch.
        free_bytes: Of the card, at that time.
        share: Of its memory in which the step was recomputed; None where it was not.
    """

    rows: int | None
    free_bytes: int
    share: float | None = None


class RememberedRows:
    """What is remembered for one model on one card.

    Args:
        folder: Where it is kept; it need not exist.
    """

    def __init__(self, folder: Path, model: Any, batch: Any, card: Card) -> None:
        self._card = allow_less(card)
        self._file = folder / f"{_key(model, batch, self._card)}.json"

    @classmethod
    def here(cls, model: Any, batch: Any, card: Card) -> "RememberedRows":
        """In the cache folder of this user."""
        return cls(cache_folder(os.environ).with_name("micro-batches"), model, batch, card)

    def find(self) -> WhatWorked | None:
        """What worked; None where nothing is known, or there is clearly more memory than then."""
        try:
            kept = msgspec.json.decode(self._file.read_bytes(), type=WhatWorked)
        except (OSError, *UNDECODABLE):
            return None
        if self._card.free_bytes > _MORE_FREE * kept.free_bytes:
            return None
        has_rows = kept.rows is not None and kept.rows >= 1
        has_share = kept.share is not None and 0 < kept.share <= 1
        return kept if has_rows or has_share else None

    def keep(self, rows: int | None, share: float | None = None) -> None:
        """Remember that it worked; a cache that cannot be written is no loss."""
        kept = WhatWorked(rows=rows, free_bytes=self._card.free_bytes, share=share)
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            part = self._file.with_suffix(f".{os.getpid()}.part")
            part.write_bytes(msgspec.json.encode(kept))
            part.replace(self._file)


def _key(model: Any, batch: Any, card: Card) -> str:
    import tensorflow as tf

    shapes = [(tuple(weight.shape), str(weight.dtype)) for weight in weights_of(model)]
    data = [(tuple(one.shape), str(one.dtype)) for one in tf.nest.flatten(batch)]
    optimizer = type(getattr(model, "optimizer", None)).__name__
    facts = (shapes, data, optimizer, getattr(model, "jit_compile", None), card.name)
    return hashlib.sha256(repr((*facts, card.memory_bytes)).encode()).hexdigest()[:32]
