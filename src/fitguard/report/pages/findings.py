"""Findings, gravest first, and the checks behind them: what every report on checks shows."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from fitguard.report.blocks import (
    Block,
    Finding,
    Folded,
    Items,
    Notice,
    Paragraph,
    Section,
    Span,
    Table,
    Tone,
    Verdict,
    present,
)
from fitguard.schema import finding as schema
from fitguard.schema.facts import FailedProbe
from fitguard.words import count

NOUNS = {"error": "error", "warning": "warning", "info": "note"}


class HasFindings(Protocol):
    """A document that holds findings, and the checks that were made."""

    @property
    def findings(self) -> tuple[schema.Finding, ...]: ...
    @property
    def skipped(self) -> tuple[schema.Skipped, ...]: ...
    @property
    def passed(self) -> tuple[str, ...]: ...


def build_verdict(report: HasFindings, fine: str, probes: Sequence[FailedProbe] = ()) -> Verdict:
    """`2 errors, 1 warning`, or `fine`, and how many checks were made."""
    severities = [finding.severity for finding in report.findings]
    counts = [count(severities.count(s), NOUNS[s]) for s in schema.SEVERITIES if s in severities]
    nothing = fine if report.passed else "Nothing could be checked"
    tone: Tone = min(severities, key=schema.SEVERITIES.index, default="fine")
    return Verdict(", ".join(counts) or nothing, tone, _count_checks(report, probes))


def build_findings(
    report: HasFindings, probes: Sequence[FailedProbe] = (), place: schema.Evidence | None = None
) -> Iterator[Block]:
    """The findings, the checks that failed themselves, and, folded, what was checked."""
    yield from map(_build_notice, _select_broken(report))
    told: dict[schema.Fix, str] = {}
    for finding in sorted(report.findings, key=lambda one: schema.SEVERITIES.index(one.severity)):
        yield build_finding(finding, told.get(finding.fix, ""), place)
        if finding.fix.text or finding.fix.commands:
            told.setdefault(finding.fix, finding.code)
    yield _fold_checks(report, probes)


def build_finding(
    finding: schema.Finding,
    earlier: str = "",
    place: schema.Evidence | None = None,
    remarks: tuple[str, ...] = (),
) -> Finding:
    """One finding; `earlier` is the code of another one that has the same fix."""
    doubt = () if finding.confidence == "high" else (f"{finding.confidence} confidence",)
    return Finding(
        code=finding.code,
        slug=finding.slug,
        tone=finding.severity,
        title=finding.title,
        confidence=finding.confidence,
        remarks=(*doubt, *remarks),
        evidence=finding.evidence,
        place=place,
        fix=finding.fix,
        earlier=earlier,
    )


def _build_notice(check: schema.Skipped) -> Notice:
    said = f"fitguard could not run the check {check.code} {check.slug}: {check.reason}"
    return Notice(said, check.code)


def _select_broken(report: HasFindings) -> list[schema.Skipped]:
    """The checks that failed themselves: what they look for may be there."""
    return [check for check in report.skipped if check.broken]


def _count_checks(report: HasFindings, probes: Sequence[FailedProbe]) -> str:
    """`20 checks passed, 12 not applicable`."""
    parts = [f"{count(len(report.passed), 'check')} passed"]
    if lacking := len(report.skipped) - len(_select_broken(report)):
        parts.append(f"{lacking} not applicable")
    if probes:
        parts.append(f"{count(len(probes), 'fact')} could not be read")
    return ", ".join(parts)


def _fold_checks(report: HasFindings, probes: Sequence[FailedProbe]) -> Folded:
    """What was not checked and why, and what was."""
    lacking = tuple((c.code, c.slug, c.reason) for c in report.skipped if not c.broken)
    failed = tuple(f"{probe.name}: {probe.problem}" for probe in probes)
    parts = (
        Section(
            "Not applicable", present(Table(("code", "check", "reason"), lacking, listed=True))
        ),
        Section("What could not be found out", present(Items(failed))),
        Section("Passed", present(Paragraph(", ".join(report.passed)))),
    )
    hint = Paragraph(Span("--verbose lists what was not checked, and why.", "faint"))
    return Folded("Checks", present(*parts), brief=(hint,) if lacking or failed else ())
