"""Text for a terminal, with rich: every block as lines."""

import io
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from rich.console import Console

from fitguard.report.blocks import (
    Bar,
    Block,
    Code,
    Cut,
    Finding,
    Folded,
    Items,
    Notice,
    Pairs,
    Paragraph,
    Quotation,
    Section,
    Span,
    Steps,
    Table,
    Verdict,
    plain,
    spans,
    without_drawings,
)
from fitguard.report.formats.console import Paper, on_one_line
from fitguard.report.formats.text_bar import put_bar
from fitguard.report.formats.text_finding import MARKS, put_finding, put_quotation
from fitguard.report.formats.text_table import put_pairs, put_table
from fitguard.report.registry import Document, build_page
from fitguard.words import count, one_line

COLUMNS = 80
LONGEST_QUOTATION, LONGEST_WHEN_VERBOSE = 300, 3000
INDENT = "  "


def print_document(document: Document, console: Console, *, verbose: bool = False) -> None:
    """Print to a console, in its width, colors and encoding.

    Args:
        verbose: Also what a page would fold, and all rows of what is cut.
    """
    paper = Paper(console, verbose=verbose)
    page = build_page(document, LONGEST_WHEN_VERBOSE if verbose else LONGEST_QUOTATION)
    if page.verdict:
        _put_verdict(page.verdict, paper)
    blocks = unfold(without_drawings(page.blocks), verbose=verbose)
    for number, block in enumerate(blocks):
        # A finding that the verdict names goes on with it.
        said = isinstance(block, Finding) and block.said
        if (number or page.verdict) and not said:
            paper.blank()
        put(block, paper, "")


def to_text(document: Document, *, verbose: bool = False, columns: int = COLUMNS) -> str:
    """The same without colors, as a string; commands are never broken."""
    out = io.StringIO()
    console = Console(file=out, width=columns, color_system=None, force_terminal=False)
    print_document(document, console, verbose=verbose)
    return out.getvalue()


def unfold(blocks: Iterable[Block], *, verbose: bool) -> list[Block]:
    """What a console shows of folded blocks: all, or their short form, or nothing."""
    shown: list[Block] = []
    for block in blocks:
        if isinstance(block, Folded):
            if verbose and block.console:
                shown += unfold([Section(block.title, block.blocks)], verbose=True)
            elif not verbose:
                shown += block.brief
        elif isinstance(block, Section):
            inner = tuple(unfold(block.blocks, verbose=verbose))
            shown += [msgspec.structs.replace(block, blocks=inner)] if inner else []
        else:
            shown.append(block)
    return shown


def put(block: Block, paper: Paper, indent: str) -> None:
    """Print one block."""
    _WRITERS[type(block)](block, paper, indent)


def _put_verdict(verdict: Verdict, paper: Paper) -> None:
    aside = Span(f" · {one_line(verdict.aside)}" if verdict.aside else "")
    mark = MARKS[verdict.tone]
    paper.put((mark, Span(one_line(verdict.text), "strong"), aside), rest=INDENT)
    if verdict.next:
        paper.put(verdict.next, first=INDENT)


def _put_paragraph(block: Paragraph, paper: Paper, indent: str) -> None:
    label = Span(f"{block.label}: " if block.label else "", tone="warning")
    words = (Span(span.text, span.style, span.tone or block.tone) for span in spans(block.words))
    paper.put((label, *words), indent, indent + " " * len(label.text))


def _put_notice(block: Notice, paper: Paper, indent: str) -> None:
    label = Span("" if block.code else "note: ", tone="warning")
    text = Span(one_line(block.text), tone="warning" if block.code else "")
    paper.put((label, text), indent, indent + INDENT)


def _put_items(block: Items, paper: Paper, indent: str) -> None:
    shown, hidden = block.split(block.items)
    for item in block.items if paper.verbose else block.items[shown]:
        paper.put(on_one_line(item), f"{indent}• ")
    _put_left_out(block, block.items[hidden], paper, indent)


def _put_steps(block: Steps, paper: Paper, indent: str) -> None:
    for number, (what, how) in enumerate(block.steps, start=1):
        paper.put(Span(one_line(what), "strong"), f"{indent}{number}. ")
        paper.put(how, f"{indent}   ")


def _put_pairs(block: Pairs, paper: Paper, indent: str, columns: int = 0) -> None:
    put_pairs(block.rows, paper, indent, columns)


def _put_table(block: Table, paper: Paper, indent: str, columns: int = 0) -> None:
    shown, hidden = block.split(block.rows)
    rows = block.rows if paper.verbose else block.rows[shown]
    put_table(block, rows, paper, indent, columns)
    _put_left_out(block, block.rows[hidden], paper, indent)


def _put_left_out(block: Cut, hidden: Sequence[Any], paper: Paper, indent: str) -> None:
    """How many rows are not shown."""
    if hidden and not paper.verbose:
        said = f"… {count(len(hidden), block.noun)} (--verbose lists them)"
        paper.put(Span(said, "faint"), indent)


def _put_code(block: Code, paper: Paper, indent: str) -> None:
    if block.language == "sh":
        paper.put_commands(block.lines, indent)
        return
    for line in "\n".join(block.lines).split("\n"):
        paper.put_whole(line, indent + INDENT)


def _put_section(block: Section, paper: Paper, indent: str) -> None:
    """The title, and the blocks below it; labels of all its rows have one width."""
    title = (Span(s.text, s.style or "strong", s.tone) for s in on_one_line(block.title))
    paper.put(tuple(title), indent, indent + INDENT)
    columns = _label_columns(block.blocks, paper)
    folded = any(isinstance(part, Finding) and part.folded for part in block.blocks)
    hides = folded and not paper.verbose
    for number, part in enumerate(block.blocks):
        if number and not block.boxed and not hides:
            paper.blank()
        if isinstance(part, Pairs):
            _put_pairs(part, paper, indent + INDENT, columns)
        elif isinstance(part, Table):
            _put_table(part, paper, indent + INDENT, columns)
        else:
            put(part, paper, indent + INDENT)
    if hides:
        paper.put(Span("--verbose shows their evidence and fixes", "faint"), indent + INDENT)


def _label_columns(blocks: Sequence[Block], paper: Paper) -> int:
    labels = [row[0] for block in blocks if isinstance(block, Pairs) for row in block.rows]
    labels += [
        plain(row[0])
        for block in blocks
        if isinstance(block, Table) and block.listed
        for row in block.rows
    ]
    return max((len(paper.spell(one_line(label))) for label in labels), default=0)


_WRITERS: dict[type[Block], Callable[[Any, Paper, str], None]] = {
    Paragraph: _put_paragraph,
    Notice: _put_notice,
    Items: _put_items,
    Steps: _put_steps,
    Pairs: _put_pairs,
    Table: _put_table,
    Quotation: put_quotation,
    Code: _put_code,
    Finding: put_finding,
    Section: _put_section,
    Bar: put_bar,
}
