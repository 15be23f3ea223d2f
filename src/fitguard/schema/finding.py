"""A finding: what is wrong, how sure that is, what proves it, and what to change."""

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "info"]
Confidence = Literal["high", "medium", "low"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


class Evidence(msgspec.Struct, frozen=True):
    """A quoted fact, and where it was found.

    Args:
        text: What was seen, as it was seen.
        source: A file, a variable, a `--what-if` argument, a table of the knowledge.
        line: The line in that file, where there is one.
        path: The file itself, where the source is one.
    """

    text: str
    source: str
    line: int | None = None
    path: str | None = None


class Fix(msgspec.Struct, frozen=True):
    """What to change.

    Args:
        text: The remedy in words. Whatever could lose something stands here only.
        commands: Commands that can be run as they are, in this order; never destructive.
        changes_results: Whether the numbers that a training gives change with it.
    """

    text: str
    commands: tuple[str, ...] = ()
    changes_results: bool = False


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that a check found. `code` and `slug` are set by the check's registration."""

    code: str = ""
    slug: str = ""
    severity: Severity = "error"
    confidence: Confidence = "high"
    title: str
    evidence: tuple[Evidence, ...]
    fix: Fix


class Skipped(msgspec.Struct, frozen=True):
    """A check that could not be made, and the fact that it lacked.

    Args:
        broken: The check itself failed on these facts; `reason` says how.
    """

    code: str
    slug: str
    reason: str
    broken: bool = False


def at_least(severity: Severity, threshold: Severity) -> bool:
    """Whether `severity` is as grave as `threshold` or graver."""
    return SEVERITIES.index(severity) <= SEVERITIES.index(threshold)
