"""Recomputation in the backward pass."""

from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.graph.estimator import GraphEstimator
from fitguard.memory.recomputing.estimating import find_recomputed
from fitguard.memory.variants.recomputation import with_recomputation
from fitguard.schema.plan import Advice

_TITLE = "Recompute in the backward pass what would be kept"
_BY_LAYERS = """\
from fitguard.memory.variants import add_recomputation

model = add_recomputation(model)  # with its weights
model.compile(...)"""
_BY_GRAPH = """\
import fitguard.keras

model.compile(...)
fitguard.keras.recompute(model, share={share:.2f})"""


def recomputation(question: Question) -> Advice | str | None:
    """Part of the step runs a second time, so that less of it must be kept."""
    if isinstance(question.estimator, GraphEstimator):
        return _recompute_graph(question, question.estimator)
    variant = with_recomputation(question.training)
    if variant.training is None:
        return variant.reason
    proposed = proposal(
        "recomputation",
        _TITLE,
        "Parts of the model keep their input only and run a second time, so a step takes up to a "
        "third longer. Dropout and moving averages are as without it; results differ by rounding "
        "alone.",
        code=_BY_LAYERS,
    )
    return question.judge_advice(proposed, question.estimator_of(variant.training))


def _recompute_graph(question: Question, plain: GraphEstimator) -> Advice | str | None:
    usable_bytes = None if question.card is None else question.card.usable_bytes
    found = find_recomputed(plain, question.batch_size, usable_bytes)
    if found is None or not found.way.count:
        return "no value of the step can be computed again in less memory"
    proposed = proposal(
        "recomputation",
        _TITLE,
        f"{found.way.count} operations of a step run twice, so that it takes about "
        f"{found.way.extra:.0%} longer. The batch stays whole: BatchNormalization, Dropout and "
        "moving averages are as without it; results differ by rounding alone. `fitguard run` does "
        "it by itself where the batch does not fit and cannot be split with the same result.",
        code=_BY_GRAPH.format(share=max(found.way.share, 0.01)),
    )
    return question.judge_advice(proposed, found.estimator)
