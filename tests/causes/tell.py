"""For tests of causes: a text and what else is known → the diagnosis."""

from fitguard.crash.explanation import explain
from fitguard.schema.diagnosis import Diagnosis


def tell(
    text: str, *, exit_code: int | None = None, kernel_log: str | None = None, **what_if: str
) -> Diagnosis:
    """Explain a text; the keys of the machine may be written with underscores."""
    explanation = explain(
        text.encode(),
        exit_code=exit_code,
        kernel_log=kernel_log.encode() if kernel_log is not None else None,
        what_if=what_if,
    )
    assert not [note for note in explanation.notes if "could not be judged" in note]
    return explanation
