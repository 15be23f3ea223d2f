"""A report with findings in SARIF: one result for each finding."""

from collections import Counter

from fitguard.report.documents import Judged
from fitguard.report.sarif_log import Json, fingerprint, location, log, message, rule
from fitguard.report.summary import broken_checks, gravest_first
from fitguard.schema.finding import Finding

LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def findings_log(report: Judged) -> str:
    """A check that broke is no finding, yet it must not pass unseen: the run tells of it."""
    findings = gravest_first(report)
    slugs = {finding.code: finding.slug for finding in findings}
    seen: Counter[str] = Counter()
    notices = [
        {
            "descriptor": {"id": check.code},
            "level": "error",
            "message": {"text": f"The check {check.code} {check.slug} broke: {check.reason}"},
        }
        for check in broken_checks(report)
    ]
    return log(
        rules=[rule(code, slug) for code, slug in slugs.items()],
        results=[_result(finding, list(slugs).index(finding.code), seen) for finding in findings],
        notices=notices,
        successful=not notices,
    )


def _result(finding: Finding, rule_index: int, seen: Counter[str]) -> Json:
    return {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": LEVELS[finding.severity],
        "message": message([finding.title], finding.fix),
        "locations": [location(evidence) for evidence in finding.evidence],
        "partialFingerprints": fingerprint(finding.code, finding.title, finding.evidence, seen),
        "properties": {"slug": finding.slug, "confidence": finding.confidence},
    }
