"""Why a batch stays whole, though it does not fit."""

from dataclasses import dataclass
from typing import Any

from fitguard.schema.journal import BATCH_STATISTICS, Orders

_INSTEAD = (
    "Use a smaller batch, or layers and losses that look at each row by itself (GroupNormalization"
    " instead of BatchNormalization)."
)


@dataclass(frozen=True)
class Whole:
    """Why the batch must not be split.

    Args:
        why: In sentences.
        allow: The word of `--allow` with which it is split; empty where none helps.
    """

    why: str
    allow: str = ""

    @property
    def text(self) -> str:
        """What the user reads."""
        if not self.allow:
            return self.why
        return f"{self.why} With `--allow {self.allow}` it is split, which changes results."


def may_change(orders: Orders) -> bool:
    """Whether micro-batches may give other results than the whole batch."""
    return BATCH_STATISTICS in orders.allow and not orders.exact_only


def list_known_changes(model: Any, orders: Orders) -> list[str]:
    """What micro-batches change that must not be changed, as far as it is known without a trial.

    Other random numbers, and a `train_step` of the user's own, count under `--exact-only` alone:
    they are said where the batch is split.
    """
    # TensorFlow must not be loaded before the script loads it.
    from fitguard.keras.microbatch import describe_batch_statistics, describe_batchwise

    return (describe_batchwise if orders.exact_only else describe_batch_statistics)(model)


def forbid_changes(changes: list[str], orders: Orders) -> Whole | None:
    """Why these changes keep the batch whole; None where there are none."""
    if not changes:
        return None
    if orders.exact_only:
        return Whole(f"--exact-only was given. {changes[0]}")
    return Whole(f"{changes[0]} {_INSTEAD}", BATCH_STATISTICS)


def sees_the_batch(model: Any) -> bool:
    """Whether layers or losses are known to look at several rows at once."""
    from fitguard.keras.microbatch import describe_batch_statistics

    return bool(describe_batch_statistics(model))
