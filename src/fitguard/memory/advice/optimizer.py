"""An optimizer that keeps less for each weight."""

from fitguard.inputs.models.library import recognise
from fitguard.inputs.models.step import optimizer_name
from fitguard.memory.advice.question import Question, Shifted, proposal
from fitguard.memory.training import Training
from fitguard.memory.variants.optimizer import count_gradient_bytes, state_bytes
from fitguard.schema.plan import Advice
from fitguard.words import size


def less_state(question: Question) -> Advice | None:
    """SGD with momentum or Lion, which keep one number per weight; Adam keeps two.

    The state lies in memory all the time, so the step needs less by just the bytes of the
    variables; no trace is made. Adafactor, known for a small state, is no advice: that of Keras
    keeps one number per weight as well, and some more.
    """
    model = question.training.model
    now = optimizer_name(model)
    if now is None:
        return None
    now_bytes = state_bytes(question.training)
    saved_bytes = count_saved_bytes(question.training)
    proposed = proposal(
        "optimizer",
        f"Use Lion, or SGD with momentum, in place of {now}",
        f"The state of {now} takes {size(now_bytes)}, that of Lion or of SGD with momentum "
        f"{size(now_bytes - saved_bytes)}. The learning rate must be found anew.",
        changes_results=True,
        code=f"optimizer = {recognise(model).package}.optimizers.SGD(learning_rate, momentum=0.9)\n"
        "model.compile(optimizer=optimizer, ...)",
    )
    return question.judge_advice(proposed, Shifted(question.estimator, -saved_bytes))


def count_saved_bytes(training: Training) -> int:
    """How much less an optimizer takes that keeps one number per weight."""
    return state_bytes(training) - count_gradient_bytes(training.model)
