"""What pages are made of. A page is a verdict and a list of blocks; each format shows every block.

A builder of a page says *what* there is, a format says *how* it looks. Strings are plain words, in
which backticks mark code; a `Span` gives a part of a line a style, a tone or a link.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from fitguard.schema.finding import Confidence, Evidence, Fix

Tone = Literal["", "fine", "info", "warning", "error"]
Style = Literal["", "strong", "faint", "italic"]


class Block(msgspec.Struct, frozen=True):
    """A part of a page."""


class Span(msgspec.Struct, frozen=True):
    """A part of a line. `link` is a relative address that only pages with links use."""

    text: str
    style: Style = ""
    tone: Tone = ""
    link: str = ""


Words: TypeAlias = str | Span | tuple[str | Span, ...]
Row: TypeAlias = tuple[str, Words]


class Paragraph(Block, frozen=True):
    """A sentence or two; `label` stands before it: `note: …`."""

    words: Words
    label: str = ""
    tone: Tone = ""


class Cut(Block, frozen=True, kw_only=True):
    """A block with many rows. A console shows the `most` of them, the last ones if `newest_last`.

    Args:
        noun: Of one row: `more layer`, `earlier attempt`.
    """

    most: int | None = None
    noun: str = "more row"
    newest_last: bool = False

    def split(self, rows: tuple[object, ...]) -> tuple[slice, slice]:
        """Which of the rows are always shown, and which only where there is room."""
        most = len(rows) if self.most is None else self.most
        if not self.newest_last:
            return slice(0, most), slice(most, None)
        first = max(len(rows) - most, 0)
        return slice(first, None), slice(0, first)


class Items(Cut, frozen=True):
    """A list of sentences."""

    items: tuple[Words, ...]


class Steps(Block, frozen=True):
    """A numbered list: what, and how."""

    steps: tuple[tuple[str, str], ...]


class Pairs(Block, frozen=True):
    """Rows of a label and a value."""

    rows: tuple[Row, ...]


class Table(Cut, frozen=True):
    """Rows under headers.

    A narrow console gives up columns from the second one on.

    Args:
        listed: A console shows `first: second · third` in place of columns.
        bars: The share of each row, 0 to 100, that a page draws behind it.
    """

    headers: tuple[str, ...]
    rows: tuple[tuple[Words, ...], ...]
    listed: bool = False
    bars: tuple[float, ...] = ()


class Quotation(Block, frozen=True):
    """What was seen, as it was seen, and where.

    Args:
        is_end: Where it is cut, its end is shown.
    """

    text: str
    source: str = ""
    is_end: bool = False


class Code(Block, frozen=True):
    """Commands for a shell, one to a line, or lines for a program."""

    lines: tuple[str, ...]
    language: Literal["sh", "python"] = "sh"


class Finding(Block, frozen=True, kw_only=True):
    """Something that is wrong: what proves it, and what to do.

    Args:
        code: `FG204`, or the slug of a cause.
        title: What is wrong, in one line.
        said: The verdict of the page says code, title and confidence already.
        place: In the script that trains; pages say it once, code scanning for each finding.
        earlier: The code of an earlier finding that has the same fix.
        folded: Only its reason is shown at first.
        more: The command that shows its page.
    """

    code: str
    slug: str = ""
    tone: Tone
    title: str
    confidence: Confidence
    remarks: tuple[str, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    place: Evidence | None = None
    why: str = ""
    fix: Fix
    earlier: str = ""
    said: bool = False
    folded: bool = False
    more: str = ""

    @property
    def is_cause(self) -> bool:
        """Why a run died, in place of what a check found."""
        return not self.code.startswith("FG")


class Notice(Block, frozen=True):
    """What must not pass unseen, though it is no finding. `code` is that of a check that failed."""

    text: str
    code: str = ""


class Section(Block, frozen=True):
    """Blocks under a title; with a tone, a page marks it. Findings stand outside of boxes.

    Args:
        told: What it says in a sentence or two, for a form that shows findings only.
    """

    title: Words
    blocks: tuple[Block, ...]
    tone: Tone = ""
    boxed: bool = True
    told: str = ""


class Folded(Block, frozen=True):
    """Blocks that open with a click. A console shows `brief` instead, and all if verbose.

    Args:
        console: Whether a verbose console shows them at all.
    """

    title: str
    blocks: tuple[Block, ...]
    brief: tuple[Block, ...] = ()
    console: bool = True


class Part(msgspec.Struct, frozen=True):
    """One part of a bar: from `left`, so wide, both in percent."""

    slug: str
    label: str
    letter: str
    size: str
    share: str
    left: float
    width: float


class Bar(Block, frozen=True):
    """What fills a card. `limit` is where the card ends, in percent, if something does not fit."""

    title: str
    parts: tuple[Part, ...]
    limit: float | None = None
    missing: str = ""


class Shape(msgspec.Struct, frozen=True):
    """An element of a drawing.

    Args:
        tag: line, rect, path, circle or text.
        at: Its attributes, as SVG names them.
        words: The text of a text.
        tip: Shown where the pointer rests.
    """

    tag: str
    kind: str
    at: dict[str, str | float]
    words: str = ""
    tip: str = ""


class Key(msgspec.Struct, frozen=True):
    """A row of a legend: the class of its color, what it stands for, its newest value."""

    kind: str
    label: str
    value: str = ""
    line: bool = True


class Drawing(Block, frozen=True):
    """A picture that fills the width of a page; `description` and `table` say the same."""

    title: str
    description: str
    height: float
    shapes: tuple[Shape, ...]
    legend: tuple[Key, ...] = ()
    legend_title: str = ""
    table: Table | None = None


class Verdict(Block, frozen=True):
    """The answer in one line, and the next step below it."""

    text: str
    tone: Tone
    aside: str = ""
    next: str = ""


class Page(Block, frozen=True):
    """A whole answer.

    Args:
        title: The command: `fitguard doctor`.
    """

    title: str
    blocks: tuple[Block, ...]
    verdict: Verdict | None = None


def spans(words: Words) -> Iterable[Span]:
    """The parts of a line."""
    parts = words if isinstance(words, tuple) else (words,)
    return (Span(part) if isinstance(part, str) else part for part in parts)


def plain(words: Words) -> str:
    """A line without its styles."""
    return "".join(span.text for span in spans(words))


def present(*blocks: Block | None) -> tuple[Block, ...]:
    """The blocks that are there; those with no rows are not."""
    return tuple(block for block in blocks if block is not None and not _is_empty(block))


def _is_empty(block: Block) -> bool:
    match block:
        case Items(items=content) | Steps(steps=content) | Pairs(rows=content):
            return not content
        case Table(rows=content) | Code(lines=content) | Section(blocks=content):
            return not content
        case Folded():
            return not block.blocks
        case Paragraph():
            return not plain(block.words)
        case Quotation():
            return not block.text
    return False


def without_drawings(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """For formats that have no pictures; a section with nothing else in it goes too."""
    kept = []
    for block in blocks:
        if isinstance(block, Section | Folded):
            block = msgspec.structs.replace(block, blocks=without_drawings(block.blocks))
        if not isinstance(block, Drawing):
            kept.append(block)
    return present(*kept)
