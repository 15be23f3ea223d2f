"""What the commands that judge have in common: which checks, and when they fail."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from fitguard.schema.exit_codes import ExitCode

if TYPE_CHECKING:
    from fitguard.schema.finding import Finding

Threshold = Literal["error", "warning", "info", "never"]

Select = Annotated[
    tuple[str, ...], Parameter(negative="", help="Make these checks only: codes, prefixes, slugs.")
]
Ignore = Annotated[tuple[str, ...], Parameter(negative="", help="Leave these checks out.")]
FailOn = Annotated[
    Threshold | None, Parameter(help="Exit with 3 from this severity on; default: error.")
]
Verbose = Annotated[
    bool, Parameter(alias="-v", negative="", help="List what could not be checked, and why.")
]


def exit_code(findings: Iterable["Finding"], threshold: Threshold) -> ExitCode:
    """3 where a finding is as grave as the threshold or graver."""
    from fitguard.schema.finding import at_least

    if threshold == "never":
        return ExitCode.FINE
    failing = any(at_least(finding.severity, threshold) for finding in findings)
    return ExitCode.FINDINGS if failing else ExitCode.FINE
