"""A diagnosis in Markdown."""

from fitguard.report.diagnosis_parts import (
    CHANGES_RESULTS,
    UNDECIDED,
    harmless_lines,
    lines_read,
    others,
    others_title,
    primary,
    questions_title,
    sureness,
    told,
)
from fitguard.report.markdown_blocks import details, escaped, labelled, quotations, remedy, table
from fitguard.report.sections import Section
from fitguard.report.summary import source
from fitguard.schema.diagnosis import Diagnosis, FoundCause


def diagnosis_blocks(diagnosis: Diagnosis) -> list[str]:
    """The primary cause or the questions, then what is less likely, then what is harmless."""
    found = primary(diagnosis)
    head = escaped(told(found)) if found else UNDECIDED
    return [
        f"## fitguard explain: {head}",
        *(_cause(found) if found else []),
        *_questions(diagnosis),
        *_others(diagnosis),
        *_harmless(diagnosis),
        *(f"- Note: {escaped(note)}" for note in diagnosis.notes),
        f"{lines_read(diagnosis)}." if diagnosis.lines else "",
    ]


def _cause(found: FoundCause) -> list[str]:
    return [
        f"*{sureness(found)}*",
        quotations(found.evidence),
        labelled("Why", found.why),
        *remedy(found.fix),
        f"*{CHANGES_RESULTS}*" if found.fix.changes_results else "",
    ]


def _questions(diagnosis: Diagnosis) -> list[str]:
    asked = [
        f"{number}. **{escaped(question.fact)}**<br>{escaped(question.how)}"
        for number, question in enumerate(diagnosis.questions, 1)
    ]
    if not asked:
        return []
    return [f"{questions_title(diagnosis)}:", "\n".join(asked)]


def _others(diagnosis: Diagnosis) -> list[str]:
    found = others(diagnosis)
    if not found:
        return []
    blocks = [f"### {others_title(diagnosis)}"]
    for other in found:
        why = escaped(other.why or other.summary)
        blocks += [f"**{other.cause}** *({sureness(other)})*: {why}"]
        blocks += details("Evidence and fix", [quotations(other.evidence), *remedy(other.fix)])
    return blocks


def _harmless(diagnosis: Diagnosis) -> list[str]:
    rows = [
        (f"{noise.count}", noise.evidence.text, source(noise.evidence), noise.meaning)
        for noise in diagnosis.noise
    ]
    headers = ("lines", "such as", "at", "why it is harmless")
    title = f"Harmless: {harmless_lines(diagnosis)}"
    return details(title, [table(Section("", headers, rows))]) if rows else []
