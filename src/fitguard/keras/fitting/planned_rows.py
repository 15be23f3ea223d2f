"""The micro-batch that the planner finds for the memory that is left here."""

from dataclasses import dataclass
from typing import Any

from fitguard.contract.compiling import uses_xla
from fitguard.contract.memory_limit import list_limits
from fitguard.keras.card import Card
from fitguard.keras.fitting.recomputing import LEAST_SHARE
from fitguard.keras.sampling import read_allocator


@dataclass(frozen=True)
class PlannedRows:
    """What the planner says.

    Args:
        whole_fits: None where that is not sure.
        rows: The largest micro-batch that fits for sure; None where there is none.
        share: Of what the whole batch needs, without weights, that is there for it.
    """

    whole_fits: bool | None
    rows: int | None
    share: float = 1.0


def plan_rows(model: Any, batch: Any, of: int, card: Card) -> PlannedRows | None:
    """Trace the step on paper; None where that fails: a plan is a help, no condition."""
    # Most of the planner is not needed by a training that fits.
    from fitguard.knowledge.gpus import USUAL_CAPABILITY
    from fitguard.memory.advice import micro_batch_size
    from fitguard.memory.estimating import find_runnable
    from fitguard.memory.preparation import prepare

    parts = batch if isinstance(batch, tuple) else (batch,)
    x, y, weight, *_ = (*parts, None, None)
    usable = _usable_bytes(model, card)
    try:
        with prepare(model, of, x, y, weight, jit_compile=uses_xla(model)) as prepared:
            prepared, estimator = find_runnable(prepared, USUAL_CAPABILITY)
            whole = estimator.at(of).required
            rows = micro_batch_size(prepared.training, estimator, of, usable)
    except Exception:
        return None
    fits = True if whole.high <= usable else False if whole.low > usable else None
    state = state_bytes(model)
    share = (usable - state) / max(whole.likely - state, 1)
    return PlannedRows(fits, rows, min(max(share, LEAST_SHARE), 0.95))


def _usable_bytes(model: Any, card: Card) -> int:
    """What a step may take: without what the driver keeps, and what others hold in this process."""
    from fitguard.memory.cards import card as planned_card

    if card.is_gpu:
        planned = planned_card(gpu_memory=card.memory_bytes, free=card.free_bytes)
        usable = min([planned.usable_bytes if planned else 0, *list_limits()])
    else:
        usable = card.free_bytes
    held = read_allocator(card)
    return usable - max(0, (held["current"] if held else 0) - state_bytes(model))


def state_bytes(model: Any) -> int:
    """Weights and what the optimizer holds for them: a plan counts these itself."""
    optimizer = getattr(model, "optimizer", None)
    variables = getattr(optimizer, "variables", ())
    held = variables() if callable(variables) else variables
    return sum(size_of(one.shape) * 4 for one in (*weights_of(model), *held))


def weights_of(model: Any) -> list[Any]:
    """None of a model of tf_keras that was not built yet."""
    try:
        return list(model.weights)
    except ValueError:
        return []


def size_of(shape: Any) -> int:
    """Numbers in an array; an unknown length counts as one."""
    size = 1
    for length in shape:
        size *= int(length or 1)
    return size
