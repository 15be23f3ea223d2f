"""The page of `resolve`: the set and how to install it, or what would open one; why not newer."""

from collections.abc import Iterator

from fitguard.report.blocks import (
    Block,
    Code,
    Items,
    Page,
    Pairs,
    Paragraph,
    Row,
    Section,
    Span,
    Verdict,
    Words,
    present,
)
from fitguard.schema.resolution import Install, Rejected, Resolution, VersionSet
from fitguard.words import label, span, title

WAYS = {"container": "Run the official container"}
VERSIONS = ("package", "tensorflow", "python", "cuda", "cudnn", "keras", "numpy", "protobuf")


def build_page(resolution: Resolution) -> Page:
    """The verdict, what was given, the answer, and why nothing newer."""
    chosen = resolution.chosen
    given = [(title(label(key.replace("-", "_"))), said) for key, said in resolution.given.items()]
    rejected = Items(tuple(map(_describe_rejected, resolution.rejected)))
    return Page(
        "fitguard resolve",
        present(
            Section("Given", present(Pairs(tuple(given)))),
            *(_build_chosen(chosen) if chosen else _build_openings(resolution)),
            Section("Why not newer" if chosen else "Why none", present(rejected)),
        ),
        Verdict(f"TensorFlow {chosen.tensorflow} works here.", "fine")
        if chosen
        else Verdict("No release of TensorFlow works with this.", "error"),
    )


def _build_chosen(chosen: VersionSet) -> Iterator[Block]:
    notes = (Paragraph(note, label="note") for note in chosen.notes)
    yield Section("Versions", present(Pairs(tuple(_list_versions(chosen))), *notes))
    for install in chosen.install:
        note = Paragraph(Span(install.note or "", "faint"))
        yield Section(_name_way(install), present(Code(install.commands), note))


def _list_versions(chosen: VersionSet) -> Iterator[Row]:
    """The versions of the set; what is not known is left out."""
    for field in VERSIONS:
        if value := getattr(chosen, field):
            yield title(label(field)), value
    last = chosen.driver_last_branch
    until = f", up to branch {last}" if last else ""
    if chosen.driver_min:
        yield "Driver", f"{chosen.driver_min} or newer{until}"


def _name_way(install: Install) -> str:
    return WAYS.get(install.way, f"Install with {install.way}")


def _build_openings(resolution: Resolution) -> Iterator[Block]:
    changes: tuple[Words, ...] = tuple(
        (f"{one.change} → ", Span(f"TensorFlow {one.tensorflow}", "strong"))
        for one in resolution.openings
    )
    if not changes:
        yield Paragraph("No single change helps.")
    yield Section("One of these changes is enough", present(Items(changes)))


def _describe_rejected(rejected: Rejected) -> Words:
    codes = f" [{', '.join(rejected.codes)}]" if rejected.codes else ""
    return (Span(span(rejected.releases), "strong"), f": {rejected.reason}", Span(codes, "faint"))
