"""Markdown to paste into an issue: nothing that is quoted can break out of its place."""

from fitguard.report.documents import Document
from fitguard.report.excerpt import excerpted
from fitguard.report.headline import headline
from fitguard.report.markdown_blocks import details, escaped, fenced, quotations, remedy, table
from fitguard.report.markdown_diagnosis import diagnosis_blocks
from fitguard.report.redaction import cleaned
from fitguard.report.resolution_rows import given, versions, way
from fitguard.report.sections import Section, sections
from fitguard.report.summary import (
    checks_broken,
    checks_made,
    gravest_first,
    remarks,
    unmade,
    verdict,
    with_earlier_fix,
)
from fitguard.report.words import span
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.resolution import Resolution

LONGEST_QUOTATION = 1000


def to_markdown(document: Document) -> str:
    """The whole document, with a newline at the end."""
    if isinstance(document, Diagnosis):
        document = excerpted(document, LONGEST_QUOTATION)
    document = cleaned(document)
    if isinstance(document, DoctorReport):
        blocks = _doctor(document)
    elif isinstance(document, Diagnosis):
        blocks = diagnosis_blocks(document)
    elif isinstance(document, Resolution):
        blocks = _resolution(document)
    else:
        blocks = ["## fitguard facts", *_facts(document)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _doctor(report: DoctorReport) -> list[str]:
    title = f"## fitguard doctor: {verdict(report)}"
    skipped = unmade(report)
    return [
        title,
        table(Section("", (), headline(report.facts))),
        *(
            block
            for finding, earlier in with_earlier_fix(gravest_first(report))
            for block in [*_finding(finding), *_fix(finding.fix, earlier)]
        ),
        f"{checks_made(report)}.",
        escaped(checks_broken(report)),
        *details(skipped.title, [table(skipped)] if skipped.rows else []),
        *details("Facts", _facts(report.facts)),
    ]


def _finding(finding: Finding) -> list[str]:
    remark = "".join(f" *({words})*" for words in remarks(finding))
    return [
        f"### {finding.severity} {finding.code}: {escaped(finding.title)}{remark}",
        quotations(finding.evidence),
    ]


def _fix(fix: Fix, earlier: str | None) -> list[str]:
    return [f"**Fix:** the same as for {escaped(earlier)}."] if earlier else remedy(fix)


def _facts(facts: Facts) -> list[str]:
    blocks: list[str] = []
    for section in sections(facts):
        blocks += [f"#### {escaped(section.title)}", table(section)]
    return blocks


def _resolution(resolution: Resolution) -> list[str]:
    chosen = resolution.chosen
    found = f"TensorFlow {escaped(chosen.tensorflow)}" if chosen else "no set of versions works"
    blocks = [f"## fitguard resolve: {found}", table(Section("", (), given(resolution)))]
    if chosen:
        blocks += [table(Section("", (), versions(chosen)))]
        blocks += [f"- {escaped(note)}" for note in chosen.notes]
        for install in chosen.install:
            blocks += [f"### {escaped(way(install))}", fenced("\n".join(install.commands), "sh")]
            blocks += [escaped(install.note or "")]
    else:
        blocks += ["### One of these changes opens a way"] if resolution.openings else []
        blocks += [f"- {escaped(o.change)} → TensorFlow {escaped(o.tensorflow)}"
                   for o in resolution.openings]  # fmt: skip
    rows = [(span(r.releases), ", ".join(r.codes), r.reason) for r in resolution.rejected]
    if rows:
        blocks += ["### Why not newer" if chosen else "### Why none"]
        blocks += [table(Section("", ("releases", "codes", "reason"), rows))]
    return blocks
