"""The part of a diagnosis on several workers: which of them failed first."""

from fitguard.report.blocks import Block, Items, Paragraph, Section, Span, Tone, Words, present
from fitguard.schema.diagnosis import WorkerEnd, WorkerPart, Workers
from fitguard.words import locate

_MOST = 16
_PARTS: dict[WorkerPart, tuple[str, Tone]] = {
    "first": ("failed first", "error"),
    "later": ("failed later", "warning"),
    "fallout": ("fallout", "info"),
    "silent": ("no failure shown", "info"),
    "well": ("ended well", "fine"),
}


def build_workers(workers: Workers) -> Block:
    """How it is known, and how each of them ended."""
    answer = f"{workers.first} failed first." if workers.first else "No log shows who failed first."
    return Section(
        "Workers",
        present(
            Paragraph((Span(answer, "strong"), f" {workers.told_by}")),
            Items(tuple(map(_describe, workers.ends)), most=_MOST, noun="more worker"),
        ),
        told=f"{answer} {workers.told_by}",
    )


def _describe(end: WorkerEnd) -> Words:
    said, tone = _PARTS[end.part]
    named = end.part in ("first", "later") and end.cause not in (None, "unknown")
    cause = f" ({end.cause})" if named else ""
    where = ", ".join(filter(None, (end.time, *map(locate, end.evidence[:1]))))
    return (
        Span(end.name, "strong"),
        ": ",
        Span(f"{said}{cause}", tone=tone),
        f". {end.summary}".rstrip(),
        Span(f" {where}" if where else "", "faint"),
    )
