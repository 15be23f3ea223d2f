"""Smaller images."""

import math

from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.variants.input_size import FACTOR, image_sizes, with_input_size
from fitguard.schema.plan import Advice

_LEAST_FACTOR = 0.1
_ROOM = 0.75
"""Sizes are rounded, and not all that is needed shrinks with the images."""


def smaller_input(question: Question) -> Advice | str | None:
    """Images of about half the pixels, for models that take them with the same weights.

    For one sample that does not fit: of as many pixels as there is room for.
    """
    variant = with_input_size(question.training, choose_factor(question))
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


def choose_factor(question: Question) -> float:
    """By how much the sides of images are to be shorter."""
    if question.card is None or question.batch_size > 1:
        return FACTOR
    parts = question.estimator.at(1, detail=True).breakdown
    state = parts.weights + parts.optimizer + parts.gradients
    room = question.card.usable_bytes - state
    if room <= 0:
        return FACTOR
    fitting = math.sqrt(_ROOM * room / max(question.required.high - state, 1))
    return min(FACTOR, fitting) if fitting >= _LEAST_FACTOR else FACTOR
