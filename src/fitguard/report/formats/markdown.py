"""Markdown to paste into an issue: every block as Markdown of GitHub."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fitguard.report.blocks import (
    Bar,
    Block,
    Code,
    Finding,
    Folded,
    Items,
    Notice,
    Page,
    Pairs,
    Paragraph,
    Quotation,
    Section,
    Steps,
    Table,
    without_drawings,
)
from fitguard.report.formats.markdown_words import escape, fence, mark_code, mark_words
from fitguard.report.registry import Document, build_page
from fitguard.report.rows.quotations import group_evidence

LONGEST_QUOTATION = 1000


def to_markdown(document: Document) -> str:
    """The whole document, with a newline at the end."""
    page = build_page(document, LONGEST_QUOTATION)
    parts = [*_write_head(page), *_write_all(without_drawings(page.blocks), 3)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _write_head(page: Page) -> Iterator[str]:
    verdict = page.verdict
    if verdict is None:
        yield f"## {page.title}"
        return
    yield f"## {page.title}: {escape(verdict.text)}"
    yield escape(f"{verdict.aside}." if verdict.aside else "")
    yield escape(verdict.next)


def _write_all(blocks: Iterable[Block], level: int) -> Iterator[str]:
    for block in blocks:
        yield from _WRITERS[type(block)](block, level)


def _write_paragraph(block: Paragraph, _: int) -> Iterator[str]:
    label = f"**{escape(block.label)}:** " if block.label else ""
    yield label + mark_words(block.words)


def _write_notice(block: Notice, _: int) -> Iterator[str]:
    yield f"- {'' if block.code else 'Note: '}{mark_code(block.text)}"


def _write_items(block: Items, _: int) -> Iterator[str]:
    shown, hidden = block.split(block.items)
    yield "\n".join(f"- {mark_words(item)}" for item in block.items[shown])
    rest = "\n".join(f"- {mark_words(item)}" for item in block.items[hidden])
    yield from _fold(f"{len(block.items[hidden])} {block.noun}s", [rest])


def _write_steps(block: Steps, _: int) -> Iterator[str]:
    numbered = enumerate(block.steps, start=1)
    yield "\n".join(f"{n}. **{escape(what)}**<br>{mark_code(how)}" for n, (what, how) in numbered)


def _write_pairs(block: Pairs, _: int) -> Iterator[str]:
    yield _tabulate(("", ""), block.rows)


def _write_table(block: Table, _: int) -> Iterator[str]:
    shown, hidden = block.split(block.rows)
    yield _tabulate(block.headers, block.rows[shown])
    rest = _tabulate(block.headers, block.rows[hidden])
    yield from _fold(f"{len(block.rows[hidden])} {block.noun}s", [rest])


def _tabulate(headers: tuple[str, ...], rows: Iterable[tuple[Any, ...]]) -> str:
    lines = [f"| {' | '.join(map(mark_words, row))} |" for row in rows]
    head = [f"| {' | '.join(map(escape, headers))} |", f"|{' --- |' * len(headers)}"]
    return "\n".join([*head, *lines]) if lines else ""


def _write_quotation(block: Quotation, _: int) -> Iterator[str]:
    source = f"\n    -- {block.source}" if block.source else ""
    yield fence(f"{block.text}{source}", "text")


def _write_code(block: Code, _: int) -> Iterator[str]:
    yield fence("\n".join(block.lines), block.language) if block.lines else ""


def _write_finding(block: Finding, level: int) -> Iterator[str]:
    remarks = "".join(f" *({escape(remark)})*" for remark in block.remarks)
    if block.folded:
        yield f"**{escape(block.code)}**{remarks}: {mark_code(block.why or block.title)}"
        yield from _fold("Evidence and fix", _write_proof(block))
        return
    if not block.said:
        head = f"{block.tone} {escape(block.code)}: {escape(block.title)}"
        yield f"{'#' * level} {head}{remarks}"
    yield from _write_proof(block)


def _write_proof(block: Finding) -> Iterator[str]:
    quoted = [f"{one.text}\n    -- {one.source}" for one in group_evidence(block.evidence)]
    yield fence("\n".join(quoted), "text") if quoted else ""
    yield _label("Why", block.why) if not block.folded else ""
    if block.earlier:
        yield f"**Fix:** the same as for {escape(block.earlier)}."
    else:
        yield _label("Fix", block.fix.text)
        yield from _write_code(Code(block.fix.commands), 0)
    yield "*This fix changes the results of training.*" if block.fix.changes_results else ""


def _label(label: str, text: str) -> str:
    words = "<br>".join(mark_code(line) for line in text.split("\n"))
    return f"**{label}:** {words}" if words else ""


def _write_section(block: Section, level: int) -> Iterator[str]:
    yield f"{'#' * level} {mark_words(block.title)}"
    yield from _write_all(block.blocks, level + 1)


def _write_folded(block: Folded, level: int) -> Iterator[str]:
    yield from _fold(escape(block.title), _write_all(block.blocks, level + 1))


def _fold(title: str, parts: Iterable[str]) -> Iterator[str]:
    """Details; the blank lines make what is inside Markdown again."""
    inside = [part for part in parts if part]
    if inside:
        yield from (f"<details><summary>{title}</summary>", *inside, "</details>")


def _write_bar(block: Bar, _: int) -> Iterator[str]:
    yield f"**{escape(block.title)}**"
    rows = tuple((part.label, part.size, part.share) for part in block.parts)
    yield _tabulate(("part", "holds", "share"), rows)
    yield f"{escape(block.missing)} are missing." if block.missing else ""


_WRITERS: dict[type[Block], Callable[[Any, int], Iterator[str]]] = {
    Paragraph: _write_paragraph,
    Notice: _write_notice,
    Items: _write_items,
    Steps: _write_steps,
    Pairs: _write_pairs,
    Table: _write_table,
    Quotation: _write_quotation,
    Code: _write_code,
    Finding: _write_finding,
    Section: _write_section,
    Folded: _write_folded,
    Bar: _write_bar,
}
