"""The micro-batch to begin with."""

from dataclasses import dataclass
from typing import Any

from fitguard.keras.fitting.card import Card
from fitguard.keras.fitting.remembered import Memory
from fitguard.keras.fitting.step import rows_of
from fitguard.keras.microbatch import unsupported
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
    of = rows_of(batch)
    ordered = orders.micro_batches.get(str(number), orders.micro_batches.get(EVERY_FIT))
    if ordered is not None:
        return FirstRows(ordered if ordered < of else None, "as ordered")
    if card is None or not orders.plan or of < 2 or unsupported(model):
        return FirstRows(None)
    known = Memory.here(model, batch, card).rows()
    if known is not None:
        return FirstRows(known if known < of else None, "this worked on this card before")
    return _planned(model, batch, of, card)


def _planned(model: Any, batch: Any, of: int, card: Card) -> FirstRows:
    if _rough_bytes(model, batch, of) < _WORTH_A_PLAN * card.free_bytes:
        return FirstRows(None)
    # Most of the planner is not needed by a training that fits.
    from fitguard.memory.planning import plan

    parts = batch if isinstance(batch, tuple) else (batch,)
    x, y, weight, *_ = (*parts, None, None)
    try:
        made = plan(
            model,
            of,
            x,
            y,
            sample_weight=weight,
            gpu_memory=card.memory_bytes,
            free=card.free_bytes,
            jit_compile=bool(getattr(model, "jit_compile", False)),
            advice=False,
        )
    except Exception as error:  # a plan is a help, no condition
        return FirstRows(None, f"no plan: {type(error).__name__}")
    if made.fits is not False or made.micro_batch_size is None or made.micro_batch_size >= of:
        return FirstRows(None)
    return FirstRows(made.micro_batch_size, "the plan says that the whole batch does not fit")


def _rough_bytes(model: Any, batch: Any, rows: int) -> int:
    """Weights, their optimizer, and the outputs of all layers: low, but quick."""
    import tensorflow as tf

    held = 4 * sum(_size(weight.shape) * 4 for weight in model.weights)
    held += sum(_size(tensor.shape) * tensor.dtype.size for tensor in tf.nest.flatten(batch))
    for layer in getattr(model, "layers", ()):
        try:
            outputs = tf.nest.flatten(layer.output)
        except (AttributeError, ValueError, RuntimeError):
            outputs = []
        held += sum(_COPIES * 4 * rows * _size(one.shape[1:]) for one in outputs)
    return held


def _size(shape: Any) -> int:
    size = 1
    for length in shape:
        size *= int(length or 1)
    return size
