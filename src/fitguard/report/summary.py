"""The doctor's report in one sentence, and its findings in order."""

from fitguard.report.sections import Section
from fitguard.report.words import count
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.finding import SEVERITIES, Evidence, Finding

NOUNS = {"error": "error", "warning": "warning", "info": "note"}


def gravest_first(report: DoctorReport) -> list[Finding]:
    """The findings by severity; within one, in the order in which they were given."""
    return sorted(report.findings, key=lambda finding: SEVERITIES.index(finding.severity))


def verdict(report: DoctorReport) -> str:
    """`2 errors, 1 warning`, or that nothing was found."""
    severities = [finding.severity for finding in report.findings]
    counts = [count(severities.count(s), NOUNS[s]) for s in SEVERITIES if s in severities]
    if counts:
        return ", ".join(counts)
    return "No problem found" if report.passed else "Nothing could be checked"


def checks_made(report: DoctorReport) -> str:
    """`20 checks passed, 12 could not be made`."""
    parts = [f"{count(len(report.passed), 'check')} passed"]
    if report.skipped:
        parts.append(f"{len(report.skipped)} could not be made")
    if failed := report.facts.failed_probes:
        parts.append(f"{count(len(failed), 'probe')} failed")
    return ", ".join(parts)


def unmade(report: DoctorReport) -> Section:
    """The checks that lacked a fact, as a table."""
    rows = [(check.code, check.slug, check.reason) for check in report.skipped]
    return Section("Checks that could not be made", ("code", "check", "reason"), rows)


def source(evidence: Evidence) -> str:
    """Where it was found, with the line: `train.log:17`."""
    return evidence.source if evidence.line is None else f"{evidence.source}:{evidence.line}"


def remarks(finding: Finding) -> list[str]:
    """What limits the finding or its fix: doubt, and changed results."""
    doubt = [] if finding.confidence == "high" else [f"{finding.confidence} confidence"]
    return doubt + (["the fix changes training results"] if finding.fix.changes_results else [])
