"""Memory of the card that others hold."""

import msgspec

from fitguard.knowledge import knowledge
from fitguard.memory.advice.question import LEAST_SHARE, Question, proposal
from fitguard.schema.plan import Advice
from fitguard.words import size


def free_memory(question: Question) -> Advice | None:
    """What it would give if nobody else held memory on the card."""
    card = question.card
    if card is None:
        return None
    empty_bytes = card.memory_bytes - knowledge().gpu_memory.driver_bytes(card.memory_bytes)
    others_bytes = empty_bytes - card.free_bytes
    if others_bytes < LEAST_SHARE * card.memory_bytes:
        return None
    usable_bytes = card.usable_bytes + others_bytes
    needs = question.required
    return msgspec.structs.replace(
        proposal(
            "free-memory",
            f"Free the {size(others_bytes)} that others hold on the card",
            "End the processes that are no longer needed, such as notebooks whose kernel still "
            "runs: nvidia-smi lists them. What is saved here is memory of the card; the step "
            "needs as much as before.",
        ),
        required_bytes=needs.likely,
        saved_bytes=others_bytes,
        enough=needs.high <= usable_bytes,
        largest_batch_size=question.all_gpus(
            question.find_fitting_batch(question.estimator, usable_bytes)
        ),
    )
