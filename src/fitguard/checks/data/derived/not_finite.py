"""What the checks of nan and of infinite values say alike."""

from fitguard.checks.data.derived.wording import among, called, described, first_at, number, spots
from fitguard.schema.data import Field, Spotted
from fitguard.schema.finding import Confidence, Finding, Fix


def holding(
    field: Field, spotted: Spotted, noun: str, fix: str, confidence: Confidence = "high"
) -> Finding:
    """`x holds 1 nan at sample 48,213, column 7`: an error in what is trained on."""
    return Finding(
        severity="error" if field.split == "training" else "warning",
        confidence=confidence,
        title=f"{called(field)} holds {number(spotted.count, noun)}{first_at(spotted)} "
        f"({among(field)})",
        evidence=(*spots(field, spotted), described(field)),
        fix=Fix(fix, changes_results=True),
    )
