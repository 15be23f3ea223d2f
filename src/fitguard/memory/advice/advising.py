"""All advice for a step, in the order of what it costs the user."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fitguard.memory.advice.free_memory import free_memory
from fitguard.memory.advice.input_size import smaller_input
from fitguard.memory.advice.micro_batch import micro_batch
from fitguard.memory.advice.optimizer import less_state
from fitguard.memory.advice.other_mode import other_mode
from fitguard.memory.advice.precision import mixed_precision
from fitguard.memory.advice.question import Question
from fitguard.memory.advice.recomputation import recomputation
from fitguard.memory.advice.smaller_batch import smaller_batch
from fitguard.memory.advice.together import together
from fitguard.schema.plan import Advice

BUDGET_SECONDS = 10.0
"""What advice may take where all of it was not asked for."""


@dataclass(frozen=True)
class Advised:
    """Advice, and one sentence for each kind that was left out and might have helped."""

    advice: tuple[Advice, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Kind:
    """A kind of advice.

    Args:
        traces: What it costs, as a multiple of one trace of the step; nothing where it asks the
            estimator at hand alone. ResNet50 took 0.9 (mixed precision), 1.0 (smaller images) and
            1.6 times as long (recomputation), and the model must be built as well; XLA is a guess.
        when_too_large: Whether it is of use only where the step does not fit.
        parts_batch: Whether it needs a step that takes batches of any size.
        of_model: Whether it changes the model, and so needs one.
    """

    name: str
    give: Callable[[Question], Advice | str | None]
    traces: float = 0.0
    when_too_large: bool = False
    parts_batch: bool = False
    of_model: bool = False


_KINDS = (
    _Kind("Micro-batches", micro_batch, when_too_large=True, parts_batch=True, of_model=True),
    _Kind("Free memory", free_memory, when_too_large=True),
    _Kind("The other setting of jit_compile", other_mode, traces=2.0),
    _Kind("Mixed precision", mixed_precision, traces=1.2, of_model=True),
    _Kind("Another optimizer", less_state, of_model=True),
    _Kind("Recomputation", recomputation, traces=2.0, of_model=True),
    _Kind("Smaller images", smaller_input, traces=1.3, of_model=True),
    _Kind("A smaller batch", smaller_batch, when_too_large=True, parts_batch=True),
)


def advise(
    question: Question,
    *,
    everything: bool = False,
    trace_seconds: float = 0.0,
    budget_seconds: float = BUDGET_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> Advised:
    """What would make the step need less.

    Kinds of advice that trace another version of the model are computed only where the step does
    not fit the card, as long as the budget allows, or where everything is asked for.

    Args:
        trace_seconds: How long the trace of the step took: others will take about as long.
    """
    end = clock() + budget_seconds
    given: list[Advice] = []
    reasons: list[str] = []
    late: list[str] = []
    for kind in _KINDS:
        if not _is_useful(kind, question, everything):
            continue
        if not everything and kind.traces and clock() + kind.traces * trace_seconds > end:
            late.append(kind.name)
            continue
        outcome = _outcome(kind, question)
        if isinstance(outcome, Advice):
            given.append(outcome)
        elif outcome is not None:
            reasons.append(f"{kind.name}: not computed, as {outcome}.")
    if _is_wanting(question, given):
        several = _Kind("Several of these together", lambda asked: together(asked, given), 4.0)
        if not everything and clock() + several.traces * trace_seconds > end:
            late.append(several.name)
        else:
            outcome = _outcome(several, question)
            given += [outcome] if isinstance(outcome, Advice) else []
    if late:
        reasons.append(
            f"To save time these were not computed: {', '.join(late)}. advice='full' computes all."
        )
    return Advised(tuple(given), tuple(reasons))


def _is_wanting(question: Question, given: Sequence[Advice]) -> bool:
    """Whether nothing is enough that leaves the data as they are, and is in the user's hands."""
    own = [one for one in given if one.slug not in ("free-memory", "smaller-input")]
    return question.too_large and bool(own) and not any(one.enough for one in own)


def _is_useful(kind: _Kind, question: Question, everything: bool) -> bool:
    if (kind.of_model and not question.has_model) or (kind.parts_batch and not question.any_batch):
        return False
    if question.too_large:
        return True
    # Without a card nobody knows whether the step fits: what costs no time is told.
    unknown = question.card is None
    if kind.when_too_large:
        return unknown
    return everything or (unknown and not kind.traces)


def _outcome(kind: _Kind, question: Question) -> Advice | str | None:
    """What came of it: layers, losses and metrics are the user's code, and may refuse a twin."""
    try:
        return kind.give(question)
    except Exception as error:
        return f"the changed model could not be traced ({type(error).__name__})"
