"""A report with findings in one sentence, and its findings in order."""

from fitguard.report.documents import Judged
from fitguard.report.sections import Section
from fitguard.report.words import count, one_line
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import FailedProbe
from fitguard.schema.finding import SEVERITIES, Evidence, Finding, Fix, Skipped

NOUNS = {"error": "error", "warning": "warning", "info": "note"}


def gravest_first(report: Judged) -> list[Finding]:
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


def verdict(report: Judged) -> str:
    """`2 errors, 1 warning`, or that nothing was found."""
    severities = [finding.severity for finding in report.findings]
    counts = [count(severities.count(s), NOUNS[s]) for s in SEVERITIES if s in severities]
    if counts:
        return ", ".join(counts)
    if not report.passed:
        return "Nothing could be checked"
    doctor = isinstance(report, DoctorReport)
    return "No problem found" if doctor else "Nothing speaks against training"


def tone(report: Judged) -> str:
    """The gravest severity, or `fine`, as the pages colour it."""
    return gravest_first(report)[0].severity if report.findings else "fine"


def checks_made(report: Judged) -> str:
    """`20 checks passed, 12 not applicable`."""
    parts = [f"{count(len(report.passed), 'check')} passed"]
    if lacking := len(report.skipped) - len(broken_checks(report)):
        parts.append(f"{lacking} not applicable")
    if failed := failed_probes(report):
        parts.append(f"{count(len(failed), 'probe')} failed")
    return ", ".join(parts)


def failed_probes(report: Judged) -> tuple[FailedProbe, ...]:
    """What could not be found out about the machine; data is not probed."""
    return report.facts.failed_probes if isinstance(report, DoctorReport) else ()


def broken_checks(report: Judged) -> list[Skipped]:
    """The checks that failed themselves: what they look for may be there."""
    return [check for check in report.skipped if check.broken]


def checks_broken(report: Judged) -> str:
    """`1 check broke: FG204 cudnn-too-old (KeyError: 'x')`; empty where none did."""
    broken = broken_checks(report)
    told = "; ".join(f"{check.code} {check.slug} ({one_line(check.reason)})" for check in broken)
    return f"{count(len(broken), 'check')} broke: {told}" if broken else ""


def unmade(report: Judged) -> Section:
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
