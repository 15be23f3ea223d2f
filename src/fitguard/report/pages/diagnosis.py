"""The page of a diagnosis: the cause, what proves it, what to do; then what is less likely."""

from fitguard.report.blocks import (
    Block,
    Finding,
    Folded,
    Items,
    Notice,
    Page,
    Paragraph,
    Quotation,
    Section,
    Span,
    Steps,
    Tone,
    Verdict,
    Words,
    present,
)
from fitguard.report.pages.workers import build_workers
from fitguard.schema.diagnosis import Diagnosis, FoundCause, Noise
from fitguard.words import count, locate

UNDECIDED = "Not enough to name a cause"
MOST_NOISE = 4
"""More kinds of harmless lines than these are merely counted on a console."""


def build_page(diagnosis: Diagnosis) -> Page:
    """The primary cause in full, the others folded."""
    primary = diagnosis.causes[0] if diagnosis.primary and diagnosis.causes else None
    others = diagnosis.causes[1:] if primary else diagnosis.causes
    tone = _choose_tone(diagnosis)
    return Page(
        "fitguard explain",
        present(
            _build_cause(primary, tone, said=True) if primary else None,
            build_workers(diagnosis.workers) if diagnosis.workers else None,
            _build_questions(diagnosis),
            Section(
                "Less likely" if primary else "Possible causes",
                tuple(_build_cause(other, "info", folded=True) for other in others),
                boxed=False,
            ),
            _fold_noise(diagnosis.noise),
            *(Notice(note) for note in diagnosis.notes),
        ),
        _build_verdict(diagnosis, primary, tone),
    )


def _choose_tone(diagnosis: Diagnosis) -> Tone:
    if diagnosis.primary in (None, "unknown"):
        return "warning"
    return "fine" if diagnosis.primary == "none" else "error"


def _build_verdict(diagnosis: Diagnosis, primary: FoundCause | None, tone: Tone) -> Verdict:
    read = f"{count(diagnosis.lines, 'line')} read" if diagnosis.lines else ""
    if primary is None:
        return Verdict(UNDECIDED, tone, read)
    # An error of the script has no cause of ours, a run that ended well has none at all.
    said_by_summary = primary.cause in ("unknown", "none") and primary.summary
    named = "" if said_by_summary else primary.cause
    said = ": ".join(filter(None, (named, primary.summary)))
    first = diagnosis.workers.first if diagnosis.workers else None
    if first and not said.startswith(first):
        said = f"{first} failed first. {said}"
    sure = f"{primary.confidence} confidence"
    return Verdict(said, tone, ", ".join(filter(None, (sure, read))))


def _build_cause(
    found: FoundCause, tone: Tone, *, said: bool = False, folded: bool = False
) -> Finding:
    return Finding(
        code=found.cause,
        tone=tone,
        title=found.summary,
        confidence=found.confidence,
        remarks=(f"{found.confidence} confidence",),
        evidence=found.evidence,
        why=found.why,
        fix=found.fix,
        said=said,
        folded=folded,
        more=f"fitguard explain {found.cause}",
    )


def _build_questions(diagnosis: Diagnosis) -> Section:
    title = (
        "If the run died anyway, look at these"
        if diagnosis.primary == "none"
        else "What would decide it, the most useful first"
    )
    steps = tuple((question.fact, question.how) for question in diagnosis.questions)
    return Section(title, present(Steps(steps)))


def _fold_noise(noise: tuple[Noise, ...]) -> Folded:
    """Each kind of harmless line, with the first that was seen."""
    title = f"Harmless: {count(sum(kind.count for kind in noise), 'line')}"
    blocks: list[Block] = []
    for kind in noise:
        blocks += [Paragraph(_describe(kind)), Quotation(kind.evidence.text, locate(kind.evidence))]
    names = ", ".join(f"{kind.name} ×{kind.count}" for kind in noise)
    few = Section(title, (Items(tuple(map(_describe, noise))),))
    many = Paragraph((Span(title, "strong"), f", {names} ", Span("(--verbose explains)", "faint")))
    return Folded(title, tuple(blocks), brief=(few if len(noise) <= MOST_NOISE else many,))


def _describe(kind: Noise) -> Words:
    return (Span(f"{kind.name} ×{kind.count}: ", "strong"), kind.meaning)
