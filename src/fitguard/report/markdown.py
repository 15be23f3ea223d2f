"""Markdown to paste into an issue: nothing that is quoted can break out of its place."""

import re

from fitguard.report.documents import Document
from fitguard.report.headline import headline
from fitguard.report.redaction import cleaned
from fitguard.report.resolution_rows import given, versions, way
from fitguard.report.sections import Section, sections
from fitguard.report.summary import (
    checks_broken,
    checks_made,
    gravest_first,
    remarks,
    source,
    unmade,
    verdict,
    with_earlier_fix,
)
from fitguard.report.words import one_line, span
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.resolution import Resolution

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# An underscore inside a word is no emphasis; LD_LIBRARY_PATH stays readable.
_SPECIAL = re.compile(r"[\\`*\[\]|~$#]|(?<![^\W_])_|_(?![^\W_])")
_LIST_MARK = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?:\s|$)))")
_MENTION = re.compile(r"@(?=\w)")


def to_markdown(document: Document) -> str:
    """The whole document, with a newline at the end."""
    document = cleaned(document)
    if isinstance(document, DoctorReport):
        blocks = _doctor(document)
    elif isinstance(document, Resolution):
        blocks = _resolution(document)
    else:
        blocks = ["## fitguard facts", *_facts(document)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def escaped(text: str) -> str:
    """One line of plain words, whatever was in it."""
    text = _SPECIAL.sub(r"\\\g<0>", one_line(text).translate(_HTML))
    text = _LIST_MARK.sub(r"\1\\", text)
    # A zero-width space keeps a quoted @name from calling that person.
    return _MENTION.sub("@\u200b", text)


def fenced(text: str, language: str) -> str:
    """A code block whose fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _doctor(report: DoctorReport) -> list[str]:
    title = f"## fitguard doctor: {verdict(report)}"
    skipped = unmade(report)
    return [
        title,
        _table(Section("", (), headline(report.facts))),
        *(
            block
            for finding, earlier in with_earlier_fix(gravest_first(report))
            for block in [*_finding(finding), *_fix(finding.fix, earlier)]
        ),
        f"{checks_made(report)}.",
        escaped(checks_broken(report)),
        *_details(skipped.title, [_table(skipped)] if skipped.rows else []),
        *_details("Facts", _facts(report.facts)),
    ]


def _finding(finding: Finding) -> list[str]:
    remark = "".join(f" *({words})*" for words in remarks(finding))
    quoted = "\n".join(f"{item.text}\n    -- {source(item)}" for item in finding.evidence)
    return [
        f"### {finding.severity} {finding.code}: {escaped(finding.title)}{remark}",
        fenced(quoted, "text") if quoted else "",
    ]


def _fix(fix: Fix, earlier: str | None) -> list[str]:
    if earlier:
        return [f"**Fix:** the same as for {escaped(earlier)}."]
    words = "<br>".join(escaped(line) for line in fix.text.split("\n"))
    return [
        f"**Fix:** {words}" if words else "",
        fenced("\n".join(fix.commands), "sh") if fix.commands else "",
    ]


def _facts(facts: Facts) -> list[str]:
    blocks: list[str] = []
    for section in sections(facts):
        blocks += [f"#### {escaped(section.title)}", _table(section)]
    return blocks


def _resolution(resolution: Resolution) -> list[str]:
    chosen = resolution.chosen
    found = f"TensorFlow {escaped(chosen.tensorflow)}" if chosen else "no set of versions works"
    blocks = [f"## fitguard resolve: {found}", _table(Section("", (), given(resolution)))]
    if chosen:
        blocks += [_table(Section("", (), versions(chosen)))]
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
        blocks += [_table(Section("", ("releases", "codes", "reason"), rows))]
    return blocks


def _table(section: Section) -> str:
    if not section.rows:
        return ""
    headers = section.headers or ("", "")
    lines = [headers, ("---",) * len(headers), *section.rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    return text if text == "---" else escaped(text)


def _details(title: str, blocks: list[str]) -> list[str]:
    """Folded away; the blank lines make what is inside Markdown again."""
    return [f"<details><summary>{title}</summary>", *blocks, "</details>"] if blocks else []
