"""The micro-batch to begin with."""

import contextlib
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
    """How many rows, and why. `rows` is None for the whole batch."""

    rows: int | None
    why: str = ""


def first_rows(orders: Orders, number: int, model: Any, batch: Any, card: Card | None) -> FirstRows:
    """What the parent ordered, else what worked before, else what the plan says.

    Args:
        number: Of the `fit` call.
        batch: The first one.
        card: Its free memory, before TensorFlow took it.
    """
    # TensorFlow must not be loaded before the script loads it.
    from fitguard.keras.microbatch import describe_unsupported

    of = rows_of(batch)
    ordered = orders.micro_batches.get(str(number), orders.micro_batches.get(EVERY_FIT))
    if ordered is not None:
        return FirstRows(ordered if ordered < of else None, "as ordered")
    if card is None or not orders.plan or of < 2 or describe_unsupported(model):
        return FirstRows(None)
    known = RememberedRows.here(model, batch, card).rows()
    if known is not None:
        return FirstRows(known if known < of else None, "this worked on this GPU before")
    if _rough_bytes(model, batch, of) < _WORTH_A_PLAN * allow_less(card).free_bytes:
        return FirstRows(None)
    return _plan_first_rows(model, batch, of, card)


def _plan_first_rows(model: Any, batch: Any, of: int, card: Card) -> FirstRows:
    made = plan_rows(model, batch, of, card)
    if made is None or made.whole_fits or made.rows is None or made.rows >= of:
        return FirstRows(None)
    if made.whole_fits is None and not uses_xla(model):
        # To try costs seconds; with XLA it costs the process.
        return FirstRows(None)
    return FirstRows(made.rows, "the whole batch does not fit, by the plan")


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
