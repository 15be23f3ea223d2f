"""Findings in Markdown, and what was not checked."""

from fitguard.report.documents import Judged
from fitguard.report.markdown_blocks import details, escaped, quotations, remedy, table
from fitguard.report.summary import (
    checks_broken,
    checks_made,
    gravest_first,
    remarks,
    unmade,
    with_earlier_fix,
)
from fitguard.schema.finding import Finding, Fix


def findings_blocks(report: Judged) -> list[str]:
    """The findings, how many checks were made, and which were not."""
    skipped = unmade(report)
    return [
        *(
            block
            for finding, earlier in with_earlier_fix(gravest_first(report))
            for block in [*_finding(finding), *_fix(finding.fix, earlier)]
        ),
        f"{checks_made(report)}.",
        escaped(checks_broken(report)),
        *details(skipped.title, [table(skipped)] if skipped.rows else []),
    ]


def _finding(finding: Finding) -> list[str]:
    remark = "".join(f" *({words})*" for words in remarks(finding))
    return [
        f"### {finding.severity} {finding.code}: {escaped(finding.title)}{remark}",
        quotations(finding.evidence),
    ]


def _fix(fix: Fix, earlier: str | None) -> list[str]:
    return [f"**Fix:** the same as for {escaped(earlier)}."] if earlier else remedy(fix)
