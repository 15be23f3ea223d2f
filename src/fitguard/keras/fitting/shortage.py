"""What a training that does not fit has no room for, and what would help, in sentences.

By then an error is on its way to the user: a plan is a help, and whatever it raises is dropped.
"""

from typing import TYPE_CHECKING, Any

import msgspec

from fitguard.contract.compiling import uses_xla
from fitguard.contract.held_variables import unwrap_variable
from fitguard.keras.card import Card, allow_less
from fitguard.keras.fitting.planned_rows import room_bytes, state_bytes, weights_of
from fitguard.schema.plan import Advice, Breakdown, Range, Shortage

if TYPE_CHECKING:
    from fitguard.memory.advice import Question

_TWINS = 4
"""A twin of the model, to be traced in mixed precision, has weights and state of its own."""


def find_state_shortage(model: Any, card: Card | None) -> Shortage | None:
    """Weights and optimizer state that are larger than all memory there is; None where not.

    It asks for sizes alone: nothing is traced, and no smaller part of a batch would help.
    """
    if card is None:
        return None
    try:
        return _weigh_state(model, card)
    except Exception:
        return None


def _weigh_state(model: Any, card: Card) -> Shortage | None:
    from fitguard.memory.model_variables import optimizer_variables

    weights = _count_bytes(weights_of(model), card)
    optimizer = _count_bytes(optimizer_variables(getattr(model, "optimizer", None)), card)
    state, most = weights + optimizer, allow_less(card).memory_bytes
    if state <= most:
        return None
    return Shortage(
        batch_size=1,
        required_bytes=Range(state, state, state),
        usable_bytes=most,
        breakdown=Breakdown(weights=weights, optimizer=optimizer),
        too_large="state",
    )


def describe_no_room(
    model: Any, batch: Any, of: int, rows: int, card: Card, *, plan: bool, recomputed: float | None
) -> str:
    """Which part is too large for a step of so few rows, and what would fit; empty where unknown.

    Args:
        of: Rows of `batch`.
        rows: The fewest that a step may have.
        plan: Whether the step may be traced.
        recomputed: The part of its memory in which it was tried, computed twice; None where it was
            not tried.
    """
    # Most of the planner is not needed by a training that fits.
    from fitguard.report.rows.shortage_words import describe_shortage, describe_ways

    try:
        state = find_state_shortage(model, card)
        if state is not None:
            return f"{describe_shortage(state)} {_describe_optimizer(model)}".strip()
        found = _plan(model, batch, of, rows, card, recomputed is not None) if plan else None
        tried = _describe_recomputed(recomputed)
        if found is None:
            return tried
        parts = (describe_shortage(found[0], failed=True), tried, describe_ways(*found))
        return " ".join(part for part in parts if part)
    except Exception:
        return ""


def _describe_recomputed(share: float | None) -> str:
    if share is None:
        return ""
    return (
        f"Computed twice in part, which takes {1 - share:.0%} less on paper, it did not fit either."
    )


def _count_bytes(variables: list[Any], card: Card) -> int:
    """Of those that lie in the memory of the card."""
    from fitguard.memory.model_variables import variable_bytes

    held = [variable for variable in map(unwrap_variable, variables) if variable is not None]
    kind = "GPU" if card.is_gpu else "CPU"
    return sum(variable_bytes(one) for one in held if kind in one.device)


def _describe_optimizer(model: Any) -> str:
    from fitguard.memory.model_variables import optimizer_variables, variable_bytes
    from fitguard.memory.variants.optimizer import count_gradient_bytes
    from fitguard.words import size

    state = sum(map(variable_bytes, optimizer_variables(model.optimizer)))
    least = count_gradient_bytes(model)
    if state < 1.5 * least:
        return ""
    return f"Lion, or SGD with momentum, would keep {size(least)} in place of {size(state)}."


def _plan(
    model: Any, batch: Any, of: int, rows: int, card: Card, recomputed: bool
) -> tuple[Shortage, tuple[Advice, ...]] | None:
    """None where the planner thinks that it fits."""
    from fitguard.knowledge.gpus import USUAL_CAPABILITY
    from fitguard.memory.advice import Question, find_shortage
    from fitguard.memory.cards import find_smallest_card
    from fitguard.memory.estimating import estimator_of, find_runnable
    from fitguard.memory.preparation import prepare
    from fitguard.schema.plan import Card as PlannedCard

    # What the failed step holds is kept until its error is gone: it does not count.
    usable = room_bytes(card)
    parts = batch if isinstance(batch, tuple) else (batch,)
    x, y, weight, *_ = (*parts, None, None)
    with prepare(model, of, x, y, weight, jit_compile=uses_xla(model)) as prepared:
        prepared, estimator = find_runnable(prepared, USUAL_CAPABILITY)
        shortage = find_shortage(estimator, rows, usable)
        if shortage is None:
            return None
        if card.is_gpu:
            larger = find_smallest_card(shortage.required_bytes.high)
            shortage = msgspec.structs.replace(shortage, card_bytes=larger)
        question = Question(
            training=prepared.training,
            batch_size=rows,
            estimator=estimator,
            estimator_of=lambda other: estimator_of(other, USUAL_CAPABILITY),
            card=PlannedCard(
                memory_bytes=card.memory_bytes, free_bytes=card.free_bytes, usable_bytes=usable
            ),
        )
        return shortage, _advise(question, _has_room_for_twins(model, card), recomputed)


def _advise(question: "Question", twins: bool, recomputed: bool) -> tuple[Advice, ...]:
    """What can be told here: no twin of the model may take the memory that is missing."""
    import tensorflow as tf

    from fitguard.memory.advice.optimizer import less_state
    from fitguard.memory.advice.precision import mixed_precision
    from fitguard.memory.advice.recomputation import recomputation
    from fitguard.memory.advice.together import together
    from fitguard.memory.graph.estimator import GraphEstimator

    on_paper = isinstance(question.estimator, GraphEstimator) and not recomputed
    with tf.device("CPU:0"):
        found = [
            less_state(question),
            recomputation(question) if on_paper else None,
            mixed_precision(question) if twins else None,
        ]
        given = [one for one in found if isinstance(one, Advice)]
        if not any(one.enough for one in given):
            both = together(question, given)
            given += [both] if both is not None else []
    return tuple(given)


def _has_room_for_twins(model: Any, card: Card) -> bool:
    from fitguard.facts import host

    free_bytes = host.read().available_bytes or 0
    if not card.is_gpu:
        free_bytes = min(free_bytes, card.free_bytes)
    return _TWINS * state_bytes(model) < free_bytes
