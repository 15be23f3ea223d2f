"""The micro-batch to begin with."""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fitguard.contract.compiling import uses_xla
from fitguard.keras.card import Card, allow_less
from fitguard.keras.fitting.planned_rows import plan_rows, size_of, state_bytes
from fitguard.keras.fitting.remembered_rows import RememberedRows
from fitguard.keras.fitting.step import rows_of
from fitguard.schema.journal import EVERY_FIT, Orders

_WORTH_A_PLAN = 0.2
"""Where layers hold less than this part of the free memory by a rough count, nobody plans."""
_COPIES = 3
"""An activation is held for the backward pass, and others beside it."""


@dataclass(frozen=True)
class FirstRows:
    """How many rows, or in which share of memory the step is recomputed, and why.

    Both are None for whole batches of a step as it is.

    Args:
        is_remedy: The parent ordered it because this `fit` ran out of memory.
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
    wants_whole: Callable[[], bool] = bool,
) -> FirstRows:
    """What the parent ordered, else what worked before, else what the plan says.

    Args:
        number: Of the `fit` call.
        batch: The first one.
        card: Its free memory, before TensorFlow took it.
        wants_whole: Whether micro-batches would give another result, or cannot be had.
    """
    # TensorFlow must not be loaded before the script loads it.
    from fitguard.keras.microbatch import describe_unsupported

    of = rows_of(batch)
    ordered = orders.micro_batches.get(str(number), orders.micro_batches.get(EVERY_FIT))
    if ordered is not None:
        is_remedy = str(number) in orders.micro_batches
        return FirstRows(ordered if ordered < of else None, "as ordered", is_remedy=is_remedy)
    share = orders.recompute.get(str(number))
    if share is not None:
        return FirstRows(None, "it did not fit into memory", share)
    if card is None or not orders.plan or of < 2 or describe_unsupported(model):
        return FirstRows(None)
    known = RememberedRows.here(model, batch, card).find()
    if known is not None:
        rows = known.rows if known.rows is not None and known.rows < of else None
        return FirstRows(rows, "this worked on this GPU before", known.share)
    if _rough_bytes(model, batch, of) < _WORTH_A_PLAN * allow_less(card).free_bytes:
        return FirstRows(None)
    return _plan_first_rows(model, batch, of, card, wants_whole)


def _plan_first_rows(
    model: Any, batch: Any, of: int, card: Card, wants_whole: Callable[[], bool]
) -> FirstRows:
    made = plan_rows(model, batch, of, card)
    if made is None or made.whole_fits:
        return FirstRows(None)
    if made.whole_fits is None and not uses_xla(model):
        # To try costs seconds; with XLA it costs the process.
        return FirstRows(None)
    why = "the whole batch does not fit, by the plan"
    if wants_whole():
        return FirstRows(None, why, made.share)
    return FirstRows(made.rows if made.rows is not None and made.rows < of else None, why)


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
