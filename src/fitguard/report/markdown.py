"""Markdown to paste into an issue: nothing that is quoted can break out of its place."""

from fitguard.report.documents import Document
from fitguard.report.excerpt import excerpted
from fitguard.report.headline import headline
from fitguard.report.markdown_blocks import details, escaped, fenced, table
from fitguard.report.markdown_data import data_blocks
from fitguard.report.markdown_diagnosis import diagnosis_blocks
from fitguard.report.markdown_findings import findings_blocks
from fitguard.report.markdown_plan import plan_blocks
from fitguard.report.markdown_run import run_blocks, runs_blocks
from fitguard.report.redaction import cleaned
from fitguard.report.resolution_rows import given, versions, way
from fitguard.report.sections import Section, sections
from fitguard.report.summary import verdict
from fitguard.report.words import span
from fitguard.schema.data import DataReport
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts
from fitguard.schema.plan import Plan
from fitguard.schema.resolution import Resolution
from fitguard.schema.run import Run
from fitguard.schema.run_list import RunList

LONGEST_QUOTATION = 1000


def to_markdown(document: Document) -> str:
    """The whole document, with a newline at the end."""
    if isinstance(document, Diagnosis):
        document = excerpted(document, LONGEST_QUOTATION)
    document = cleaned(document)
    if isinstance(document, DoctorReport):
        blocks = _doctor(document)
    elif isinstance(document, DataReport):
        blocks = data_blocks(document)
    elif isinstance(document, Diagnosis):
        blocks = diagnosis_blocks(document)
    elif isinstance(document, Resolution):
        blocks = _resolution(document)
    elif isinstance(document, Plan):
        blocks = plan_blocks(document)
    elif isinstance(document, Run):
        blocks = run_blocks(document)
    elif isinstance(document, RunList):
        blocks = runs_blocks(document)
    else:
        blocks = ["## fitguard facts", *_facts(document)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _doctor(report: DoctorReport) -> list[str]:
    return [
        f"## fitguard doctor: {verdict(report)}",
        table(Section("", (), headline(report.facts))),
        *findings_blocks(report),
        *details("Facts", _facts(report.facts)),
    ]


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
