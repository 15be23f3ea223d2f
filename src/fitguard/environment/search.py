"""Looks for the newest release that the doctor's checks find no error in."""

from fitguard.checks.runner import judge
from fitguard.environment.candidates import Candidate, Constraints, candidates
from fitguard.knowledge import Knowledge
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.resolution import Rejected

Found = tuple[Candidate, DoctorReport]


def search(
    constraints: Constraints, tables: Knowledge
) -> tuple[Found | None, tuple[Rejected, ...]]:
    """The newest candidate without an error, and the reasons against the newer ones."""
    rejected: list[Rejected] = []
    for candidate in candidates(constraints, tables):
        report = judge(candidate.facts, knowledge=tables)
        if report.ok:
            return (candidate, report), tuple(rejected)
        _reject(rejected, candidate, report)
    return None, tuple(rejected)


def _reject(rejected: list[Rejected], candidate: Candidate, report: DoctorReport) -> None:
    """Note a rejected release; neighbours with the same reasons share a line."""
    errors = [finding for finding in report.findings if finding.severity == "error"]
    codes = tuple(dict.fromkeys(finding.code for finding in errors))
    version = candidate.release.version
    if rejected and rejected[-1].codes == codes:
        last = rejected[-1]
        rejected[-1] = Rejected((*last.releases, version), codes, last.reason)
    else:
        rejected.append(Rejected((version,), codes, "; ".join(item.title for item in errors[:2])))
