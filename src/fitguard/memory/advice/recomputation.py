"""Recomputation in the backward pass."""

from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.variants.recomputation import with_recomputation
from fitguard.schema.plan import Advice

_CODE = """\
from fitguard.memory.variants import add_recomputation

model = add_recomputation(model)  # with its weights
model.compile(...)"""


def recomputation(question: Question) -> Advice | str | None:
    """Parts of the model keep their input only, and run again in the backward pass."""
    variant = with_recomputation(question.training)
    if variant.training is None:
        return variant.reason
    proposed = proposal(
        "recomputation",
        "Recompute in the backward pass what would be kept",
        "Parts of the model keep their input only and run a second time, so a step takes up to a "
        "third longer. Dropout and moving averages are as without it; results differ by rounding "
        "alone.",
        code=_CODE,
    )
    return question.judge_advice(proposed, question.estimator_of(variant.training))
