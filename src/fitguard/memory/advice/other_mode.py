"""The step compiled by XLA where it is not, and the reverse."""

from fitguard.memory.advice.question import Question, proposal
from fitguard.memory.variants.mode import with_jit
from fitguard.schema.plan import Advice


def other_mode(question: Question) -> Advice | None:
    """The other mode, where it needs less."""
    jit_compile = not question.training.jit_compile
    training = with_jit(question.training, jit_compile)
    if jit_compile:
        title = "Compile the step with XLA"
        text = (
            "XLA joins operations, so that fewer results are kept. The first step takes longer. "
            "Results differ by rounding alone."
        )
    else:
        title = "Do not compile the step with XLA"
        text = (
            "For this model TensorFlow's own executor needs less. Steps may take longer. Results "
            "differ by rounding alone."
        )
    code = f"model.compile(..., jit_compile={jit_compile})"
    return question.judge_advice(
        proposal("jit-compile", title, text, code=code), question.estimator_of(training)
    )
