"""What the checks of nan and of infinite values say alike."""

from fitguard.checks.data.derived.wording import (
    among,
    first_at,
    format_field,
    number,
    quote_field,
    spots,
)
from fitguard.schema.data import Field, Spotted
from fitguard.schema.finding import Confidence, Finding, Fix


def build_finding(
    field: Field, spotted: Spotted, noun: str, fix: str, confidence: Confidence = "high"
) -> Finding:
    """`x holds 1 nan at sample 48,213, column 7`: an error in what is trained on."""
    return Finding(
        severity="error" if field.split == "training" else "warning",
        confidence=confidence,
        title=f"{format_field(field)} holds {number(spotted.count, noun)}{first_at(spotted)} "
        f"({among(field)})",
        evidence=(*spots(field, spotted), quote_field(field)),
        fix=Fix(fix, changes_results=True),
    )
