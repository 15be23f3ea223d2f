"""The doctor's report in one sentence, and its findings in order."""

from fitguard.report.sections import Section
from fitguard.report.words import count, one_line
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import SEVERITIES, Evidence, Finding, Fix, Skipped

NOUNS = {"error": "error", "warning": "warning", "info": "note"}


def gravest_first(report: DoctorReport) -> list[Finding]:
    """The findings by severity; within one, in the order in which they were given."""
    return sorted(report.findings, key=lambda finding: SEVERITIES.index(finding.severity))


def with_earlier_fix(findings: list[Finding]) -> list[tuple[Finding, str | None]]:
    """Each finding, and the code of the first one before it that has the same fix."""
    told: dict[Fix, str] = {}
    paired = []
    for finding in findings:
        paired.append((finding, told.get(finding.fix)))
        if finding.fix.text or finding.fix.commands:
            told.setdefault(finding.fix, finding.code)
    return paired


def verdict(report: DoctorReport) -> str:
    """`2 errors, 1 warning`, or that nothing was found."""
    severities = [finding.severity for finding in report.findings]
    counts = [count(severities.count(s), NOUNS[s]) for s in SEVERITIES if s in severities]
    if counts:
        return ", ".join(counts)
    return "No problem found" if report.passed else "Nothing could be checked"


def checks_made(report: DoctorReport) -> str:
    """`20 checks passed, 12 not applicable`."""
    parts = [f"{count(len(report.passed), 'check')} passed"]
    if lacking := len(report.skipped) - len(broken_checks(report)):
        parts.append(f"{lacking} not applicable")
    if failed := report.facts.failed_probes:
        parts.append(f"{count(len(failed), 'probe')} failed")
    return ", ".join(parts)


def broken_checks(report: DoctorReport) -> list[Skipped]:
    """The checks that failed themselves: what they look for may be there."""
    return [check for check in report.skipped if check.broken]


def checks_broken(report: DoctorReport) -> str:
    """`1 check broke: FG204 cudnn-too-old (KeyError: 'x')`; empty where none did."""
    broken = broken_checks(report)
    told = "; ".join(f"{check.code} {check.slug} ({one_line(check.reason)})" for check in broken)
    return f"{count(len(broken), 'check')} broke: {told}" if broken else ""


def unmade(report: DoctorReport) -> Section:
    """The checks that lacked a fact, as a table."""
    rows = [(check.code, check.slug, check.reason) for check in report.skipped if not check.broken]
    return Section("Checks that could not be made", ("code", "check", "reason"), rows)


def source(evidence: Evidence) -> str:
    """Where it was found, with the line: `train.log:17`."""
    return evidence.source if evidence.line is None else f"{evidence.source}:{evidence.line}"


def remarks(finding: Finding) -> list[str]:
    """What limits the finding or its fix: doubt, and changed results."""
    doubt = [] if finding.confidence == "high" else [f"{finding.confidence} confidence"]
    return doubt + (["the fix changes training results"] if finding.fix.changes_results else [])
