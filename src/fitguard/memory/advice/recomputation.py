"""Recomputation in the backward pass."""

from dataclasses import dataclass

from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.estimate import Estimator
from fitguard.memory.graph.estimator import GraphEstimator
from fitguard.memory.recomputing.estimating import find_recomputed
from fitguard.memory.recomputing.recomputation import Recomputation
from fitguard.memory.training import Training
from fitguard.memory.variants.recomputation import with_recomputation
from fitguard.schema.plan import Advice

_TITLE = "Recompute in the backward pass what would be kept"
COMPILE = "model.compile(...)"
_BY_LAYERS = """\
from fitguard.memory.variants import add_recomputation

model = add_recomputation(model)  # with its weights
model.compile(...)"""
_BY_GRAPH = f"""\
import fitguard.keras

{COMPILE}
fitguard.keras.recompute(model, share={{share:.2f}})"""


@dataclass(frozen=True)
class Recomputed:
    """A step of which part runs twice: what it needs, what it costs, and how to have it."""

    estimator: Estimator
    text: str
    code: str


def recomputation(question: Question) -> Advice | str | None:
    """Part of the step runs a second time, so that less of it must be kept."""
    found = recompute(question, question.training, question.estimator)
    if isinstance(found, str):
        return found
    proposed = proposal("recomputation", _TITLE, found.text, code=found.code)
    return question.judge_advice(proposed, found.estimator)


def recompute(
    question: Question, training: Training, estimator: Estimator, freed_bytes: int = 0
) -> Recomputed | str:
    """A version of the step, recomputed so that it fits; or why that cannot be.

    Args:
        freed_bytes: What else the step will need less.
    """
    if isinstance(estimator, GraphEstimator):
        return _recompute_graph(question, estimator, freed_bytes)
    variant = with_recomputation(training)
    if variant.training is None:
        return variant.reason
    return Recomputed(
        question.estimator_of(variant.training),
        "Parts of the model keep their input only and run a second time, so a step takes up to a "
        "third longer. Dropout and moving averages are as without it; results differ by rounding "
        "alone.",
        _BY_LAYERS,
    )


def _recompute_graph(
    question: Question, plain: GraphEstimator, freed_bytes: int
) -> Recomputed | str:
    usable_bytes = None if question.card is None else question.card.usable_bytes + freed_bytes
    found = find_recomputed(plain, question.batch_size, usable_bytes)
    if found is None or not found.way.edits:
        return "no value of the step can be computed again in less memory"
    return Recomputed(
        found.estimator,
        f"{_tell_cost(found.way)} The batch stays whole: BatchNormalization, Dropout and "
        "moving averages are as without it; results differ by rounding alone. `fitguard run` does "
        "it by itself where the batch does not fit and cannot be split with the same result.",
        _BY_GRAPH.format(share=max(found.way.share, 0.01)),
    )


def _tell_cost(way: Recomputation) -> str:
    if not way.count:
        return "A step runs in another order, which takes no longer."
    twice = f"{way.count} operations of a step run twice"
    return f"{twice}, so that it takes about {way.extra:.0%} longer."
