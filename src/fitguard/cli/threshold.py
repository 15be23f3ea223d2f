"""From which severity on a command fails."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from fitguard.schema.exit_codes import ExitCode

if TYPE_CHECKING:
    from fitguard.schema.finding import Finding

Threshold = Literal["error", "warning", "info", "never"]


def exit_code(findings: Iterable["Finding"], threshold: Threshold) -> ExitCode:
    """3 where a finding is as grave as the threshold or graver."""
    from fitguard.schema.finding import at_least

    if threshold == "never":
        return ExitCode.FINE
    failing = any(at_least(finding.severity, threshold) for finding in findings)
    return ExitCode.FINDINGS if failing else ExitCode.FINE
