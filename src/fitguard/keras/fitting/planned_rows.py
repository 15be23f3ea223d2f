"""How the planner would train a batch in the memory that is left here."""

from dataclasses import dataclass
from typing import Any

from fitguard.contract.compiling import uses_xla
from fitguard.contract.memory_limit import list_limits
from fitguard.keras.card import Card
from fitguard.keras.fitting.recomputing import LEAST_SHARE
from fitguard.keras.sampling import read_allocator
from fitguard.schema.ways import Way

_XLA_SAVES_LESS = 0.75
"""What XLA fuses is not kept anyway: on an H200, half of a step on paper was 0.52 to 0.8 of it."""


@dataclass(frozen=True)
class PlannedRows:
    """What the planner says.

    Args:
        whole_fits: None where that is not sure.
        way: The cheapest with which the batch fits; None where there is none for sure.
    """

    whole_fits: bool | None
    way: Way | None


def plan_rows(
    model: Any, batch: Any, of: int, card: Card, *, split: bool, recompute: bool
) -> PlannedRows | None:
    """Trace the step on paper; None where that fails: a plan is a help, no condition.

    Args:
        split: Whether parts give the same result.
        recompute: Whether the step can be recomputed.
    """
    # Most of the planner is not needed by a training that fits.
    from fitguard.knowledge.gpus import USUAL_CAPABILITY
    from fitguard.memory.cheapest import Batch
    from fitguard.memory.estimating import find_runnable
    from fitguard.memory.preparation import prepare
    from fitguard.memory.recomputing.timing import find_speed

    parts = batch if isinstance(batch, tuple) else (batch,)
    x, y, weight, *_ = (*parts, None, None)
    usable = _usable_bytes(model, card)
    try:
        with prepare(model, of, x, y, weight, jit_compile=uses_xla(model)) as prepared:
            prepared, estimator = find_runnable(prepared, USUAL_CAPABILITY)
            whole = estimator.at(of).required
            fits = True if whole.high <= usable else False if whole.low > usable else None
            # To try costs seconds in graph mode, and the process with XLA.
            if fits or (fits is None and not uses_xla(model)):
                return PlannedRows(fits, None)
            speed = find_speed(card.name, is_gpu=card.is_gpu)
            short = Batch(prepared.training, of, usable, speed)
            way = short.find_cheapest(estimator, split=split, recompute=recompute)
    except Exception:
        return None
    if way is None and recompute and not split:
        way = _guess_share(model, whole.likely, usable)
    return PlannedRows(fits, way)


def _guess_share(model: Any, needed_bytes: int, usable_bytes: int) -> Way:
    """Of what a step needs beside weights: what is there for it."""
    state = state_bytes(model)
    share = (usable_bytes - state) / max(needed_bytes - state, 1)
    if uses_xla(model):
        share *= _XLA_SAVES_LESS
    return Way(share=min(max(share, LEAST_SHARE), 0.95))


def _usable_bytes(model: Any, card: Card) -> int:
    """What a step may take: without what others hold in this process."""
    held = read_allocator(card)
    return room_bytes(card) - max(0, (held["current"] if held else 0) - state_bytes(model))


def room_bytes(card: Card) -> int:
    """What a training may take: without what the driver keeps, within limits that are set."""
    from fitguard.memory.cards import card as planned_card

    if not card.is_gpu:
        return card.free_bytes
    planned = planned_card(gpu_memory=card.memory_bytes, free=card.free_bytes)
    return min([planned.usable_bytes if planned else 0, *list_limits()])


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
