"""Tries the losses on a few rows: at once, and in two parts.

What a layer adds with `add_loss`, what a loss function returns as one number, what `compute_loss`
makes: it may be a mean over rows or a sum. Nobody says which; so it is tried, on the first rows of
the first batch. The same trial finds layers and losses that look at several rows at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from fitguard.contract.layers import flatten_layers
from fitguard.keras.microbatch.split import RETURNED, STEP, Findings, Split

Trial = Callable[[int, int], Any]
"""Gives what the rows from one to another give."""

_MOST_ROWS = 8
_TOLERANCE = 2e-4
_TOLERANCE_IN_HALF_PRECISION = 3e-2
_OTHER_LOSS = "{}, and is neither their mean nor their sum. With micro-batches it is another loss."
_WORDS = {
    "loss": _OTHER_LOSS.format("A loss function returns one number for all rows"),
    "add_loss": _OTHER_LOSS.format("A loss that a layer adds is one number for all rows"),
    "compute_loss": _OTHER_LOSS.format(
        "The model's own compute_loss returns one number for all rows"
    ),
    STEP: "The gradients of some rows were neither the mean nor the sum of those of their parts: a"
    " layer or the loss looks at several rows at once, or the step changes gradients by their size."
    " With micro-batches, each sees only its own rows.",
    RETURNED: "A number that the step returns, or gives to a metric, is neither the mean of what"
    " its rows give nor their sum. With micro-batches, it is the mean of what they give.",
}
_OTHER_STATE = (
    "What the model keeps in {} is not the mean of what its rows give. With micro-batches, it would"
    " become another value."
)
_HIDDEN_STATE = (
    "The model writes {} inside of a condition or another tf.function: fitguard could not see"
    " whether micro-batches give the same. It becomes the mean of what they write."
)
_NOT_TRIED = (
    "On the first rows, what the step gives was not finite: fitguard could not see whether it is a"
    " mean over rows. Micro-batches count as if it were."
)


def tolerance(model: Any) -> float:
    """How far losses may be off and count as equal: rounding alone makes some difference."""
    dtypes = {getattr(layer, "compute_dtype", None) for layer in flatten_layers(model)}
    return _TOLERANCE_IN_HALF_PRECISION if dtypes & {"float16", "bfloat16"} else _TOLERANCE


def rows_tried(whole: int, fitting: int) -> int:
    """How many of the rows of a batch are tried: no more than fit into memory, but two."""
    return min(whole, _MOST_ROWS, max(2, fitting))


def places(rows: int) -> list[tuple[int, int]]:
    """All rows that are tried, and the two parts of them."""
    middle = max(1, rows // 3)
    return [(0, rows), (0, middle), (middle, rows)]


def sums_of(items: Trial, rows: int, findings: Findings, tolerance: float) -> Any:
    """For each loss that is one number, 1 where it is a sum over rows, and 0 where it is a mean."""
    number = len(findings.items)
    if rows < 2 or not (number or findings.states):
        return tf.zeros((number,))
    _, (_, middle), _ = places(rows)
    share = middle / rows
    found = list(zip(*_try_places(items, rows), strict=True))
    for state, (together, first, second) in zip(
        findings.states.values(), found[number:], strict=True
    ):
        off = abs(together - share * first - (1 - share) * second)
        if off > tolerance * (abs(first) + abs(second)):
            findings.note(_OTHER_STATE.format(state))
    sums = []
    for name, (together, first, second) in zip(findings.items, found[:number], strict=True):
        off_mean = abs(together - share * first - (1 - share) * second)
        off_sum = abs(together - first - second)
        if name in (STEP, RETURNED) and not np.isfinite([off_mean, off_sum]).all():
            findings.note_aside(_NOT_TRIED)
        elif not min(off_mean, off_sum) <= tolerance * (abs(first) + abs(second)):
            note = findings.note_aside if name == RETURNED else findings.note
            note(_WORDS[name])
        sums.append(1.0 if off_sum < off_mean else 0.0)
    return tf.constant(sums, tf.float32)


def read_states(split: Split) -> list[Any]:
    """What each of the variables to look at would become."""
    for key, name in split.findings.states.items():
        if key not in split.written:
            split.findings.note_aside(_HIDDEN_STATE.format(name))
    return [split.written.get(key, tf.zeros(())) for key in split.findings.states]


def note_rows_that_meet(loss: Trial, rows: int, findings: Findings, tolerance: float) -> None:
    """Say so where the loss of some rows is not put together from the losses of its parts."""
    if rows < 2 or findings.notes:
        return
    together, first, second = _try_places(loss, rows)
    off = abs(together - first - second)
    allowed = tolerance * (abs(first) + abs(second))
    if np.isfinite([together, first, second]).all() and off > allowed:
        findings.note(
            f"The loss of {rows} rows was {float(together):.4g} at once and"
            f" {float(first + second):.4g} in two parts: a layer or a loss looks at several rows at"
            " once, or draws random numbers that cannot be drawn again. With micro-batches, it"
            " sees only the rows of one micro-batch."
        )


def _try_places(trial: Trial, rows: int) -> list[Any]:
    return [np.array(trial(*at), float) for at in places(rows)]
