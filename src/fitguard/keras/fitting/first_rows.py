"""The micro-batch to begin with."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fitguard.keras.card import Card, allow_less
from fitguard.keras.fitting.planned_rows import plan_rows, size_of, state_bytes
from fitguard.keras.fitting.remembered_rows import RememberedRows
from fitguard.keras.fitting.replicas import rows_of
from fitguard.schema.journal import EVERY_FIT, Orders
from fitguard.schema.ways import Way

_WORTH_A_PLAN = 0.2
"""Where layers hold less than this part of the free memory by a rough count, nobody plans."""
_WORTH_TELLING = 1.1
_COPIES = 3
"""An activation is held for the backward pass, and others beside it."""


@dataclass(frozen=True)
class FirstRows:
    """How many rows, in which share of memory their step is recomputed, and why.

    Both are None for whole batches of a step as it is.

    Args:
        is_remedy: Without it, this `fit` runs out of memory.
    """

    rows: int | None
    why: str = ""
    share: float | None = None
    is_remedy: bool = False


def first_rows(
    orders: Orders,
    number: int,
    model: Any,
    batch: Any,
    card: Card | None,
    may_split: Callable[[], bool] = lambda: True,
    may_recompute: Callable[[], bool] = lambda: False,
) -> FirstRows:
    """What the parent ordered, else what worked before, else what the plan says.

    Args:
        number: Of the `fit` call.
        batch: The first one.
        card: Its free memory, before TensorFlow took it.
        may_split: Whether micro-batches give the same result.
        may_recompute: Whether the step can be recomputed.
    """
    of = rows_of(batch)
    ordered = orders.micro_batches.get(str(number), orders.micro_batches.get(EVERY_FIT))
    share = orders.recompute.get(str(number))
    if ordered is not None or share is not None:
        is_remedy = str(number) in orders.micro_batches
        # The first batch here may be a short one: those that did not fit come later.
        rows = ordered if ordered is not None and (ordered < of or is_remedy) else None
        why = "it did not fit into memory" if is_remedy or share is not None else "as ordered"
        return FirstRows(rows, why, share, is_remedy=is_remedy)
    if card is None or not orders.plan or of < 2:
        return FirstRows(None)
    known = RememberedRows.here(model, batch, card).find()
    if known is not None:
        rows = known.rows if known.rows is not None and known.rows < of else None
        return FirstRows(rows, "this worked before in as much memory", known.share)
    if _rough_bytes(model, batch, of) < _WORTH_A_PLAN * allow_less(card).free_bytes:
        return FirstRows(None)
    split, recompute = may_split(), may_recompute()
    if not split and not recompute:
        return FirstRows(None)
    planned = plan_rows(model, batch, of, card, split=split, recompute=recompute)
    if planned is None or planned.way is None:
        return FirstRows(None)
    why = describe_planned(planned.way)
    return FirstRows(planned.way.rows, why, planned.way.share, is_remedy=True)


def describe_planned(way: Way) -> str:
    """Why a batch is trained so; recomputation of a whole one tells its time itself."""
    why = "the whole batch does not fit, by the plan"
    if way.rows is None or way.times is None or way.times < _WORTH_TELLING:
        return why
    return f"{why}; a step takes about {way.times:.1f} times as long as a whole one would"


def _rough_bytes(model: Any, batch: Any, rows: int) -> int:
    """Weights, their optimizer, and the outputs of all layers: low, but quick."""
    import tensorflow as tf

    held = state_bytes(model)
    held += sum(size_of(one.shape) * int(one.dtype.size) for one in tf.nest.flatten(batch))
    for layer in getattr(model, "layers", ()):
        # A layer that has not been called, or in several places, has no output to tell.
        with contextlib.suppress(AttributeError, ValueError, RuntimeError):
            outputs = tf.nest.flatten(layer.output)
            held += sum(_COPIES * 4 * rows * size_of(one.shape[1:]) for one in outputs)
    return held
