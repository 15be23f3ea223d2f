"""Smaller images."""

from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.variants.input_size import image_sizes, with_input_size
from fitguard.schema.plan import Advice

_FACTOR = 0.7
"""About half of the pixels."""


def smaller_input(question: Question) -> Advice | str | None:
    """Images of about half the pixels, for models that take them with the same weights."""
    variant = with_input_size(question.training, _FACTOR)
    if variant.training is None:
        return variant.reason
    before, after = image_sizes(question.training), image_sizes(variant.training)
    proposed = proposal(
        "smaller-input",
        f"Images of {after[0]} × {after[1]} in place of {before[0]} × {before[1]}",
        "The weights stay as they are; the model sees less of each image.",
        changes_results=True,
    )
    return question.judge_advice(proposed, question.estimator_of(variant.training))
