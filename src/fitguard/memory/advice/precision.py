"""Mixed precision."""

from fitguard.inputs.models.library import recognise
from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.variants.cloning import policy_name
from fitguard.memory.variants.mixed_precision import with_policy
from fitguard.schema.plan import Advice

POLICY = "mixed_float16"
_LEAST_CAPABILITY = 7
"""GPUs before this one compute in float16 more slowly than in float32, or not at all."""
_WITH_BFLOAT16 = 8


def mixed_precision(question: Question) -> Advice | str | None:
    """Activations in half precision; nothing for cards that gain nothing by it."""
    model = question.training.model
    major = _major(question)
    if policy_name(model) != "float32" or (major is not None and major < _LEAST_CAPABILITY):
        return None
    variant = with_policy(question.training, POLICY)
    if variant.training is None:
        return variant.reason
    sentences = [
        "Activations are kept in 16 bits, weights in 32. Keras scales the loss by itself. Give the "
        "last layer dtype='float32'."
    ]
    if major is None:
        sentences.append("The GPU must have compute capability 7.0 or higher.")
    elif major >= _WITH_BFLOAT16:
        sentences.append("mixed_bfloat16 takes as much, and needs no scaling.")
    proposed = proposal(
        "mixed-precision",
        f"Compute in {POLICY}",
        " ".join(sentences),
        changes_results=True,
        code=f'{recognise(model).package}.mixed_precision.set_global_policy("{POLICY}")'
        "  # before the model is made",
    )
    return question.judge_advice(proposed, question.estimator_of(variant.training))


def _major(question: Question) -> int | None:
    """The first number of the card's compute capability; None where it is not known."""
    capability = "" if question.card is None else question.card.compute_capability
    return int(capability.partition(".")[0]) if capability else None
