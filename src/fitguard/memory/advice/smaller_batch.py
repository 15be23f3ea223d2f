"""A smaller batch."""

from fitguard.memory.advice.question import Question, proposal
from fitguard.schema.plan import Advice


def smaller_batch(question: Question) -> Advice | None:
    """The largest batch that fits; without a card, half of it."""
    fitting: int | None = question.batch_size // 2
    if question.card is not None:
        fitting = question.find_fitting_batch(question.estimator, question.card.usable_bytes)
    if not fitting or fitting >= question.batch_size:
        return None
    whole = question.all_gpus(fitting)
    proposed = proposal(
        "smaller-batch",
        f"A batch of {whole:,}",
        "The optimizer takes more steps, each on fewer samples; a smaller learning rate may be "
        "needed.",
        changes_results=True,
        code=f"model.fit(..., batch_size={whole})",
    )
    known = whole if question.card is not None else None
    return question.weigh_advice(proposed, question.estimator.at(fitting).required, known)
