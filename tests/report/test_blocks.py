"""Blocks: every format shows every kind, and what is empty is left out."""

from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from report.samples import DOCUMENTS

from fitguard.report import blocks
from fitguard.report.blocks import (
    Block,
    Cut,
    Drawing,
    Folded,
    Items,
    Page,
    Pairs,
    Paragraph,
    Section,
    Span,
    Table,
    Verdict,
    plain,
    present,
    without_drawings,
)
from fitguard.report.formats import console, html, markdown, text
from fitguard.report.registry import build_page

KINDS = {
    kind
    for kind in vars(blocks).values()
    if isinstance(kind, type)
    and issubclass(kind, Block)
    and kind not in (Block, Cut, Page, Verdict)
}
PICTURE = Drawing("a", "b", 10, ())


def test_every_format_shows_every_kind_of_block() -> None:
    template = html._templates().get_template("blocks.html.j2").make_module()
    assert set(template.macros) == {kind.__name__ for kind in KINDS}  # type: ignore[attr-defined]
    assert set(markdown._WRITERS) == KINDS - {Drawing}
    assert set(text._WRITERS) == KINDS - {Drawing, Folded}  # a console unfolds or leaves out


def test_the_samples_that_each_format_shows_have_every_kind_of_block() -> None:
    pages = [build_page(document) for document in DOCUMENTS.values()]
    assert {type(block) for page in pages for block in _walk(page.blocks)} == KINDS


def _walk(found: Iterable[Any]) -> Iterator[Block]:
    for block in found:
        yield block
        yield from _walk(getattr(block, "blocks", ()))


def test_what_is_empty_is_left_out() -> None:
    filled = Section("a", present(Items(("b",))))
    empty = (Items(()), Pairs(()), Table((), ()), Paragraph(""), Section("a", ()), Folded("a", ()))
    assert present(None, *empty, filled) == (filled,)


@pytest.mark.parametrize(
    ("most", "newest_last", "shown", "hidden"),
    [
        (None, False, "abcd", ""),
        (3, False, "abc", "d"),
        (3, True, "bcd", "a"),
        (9, True, "abcd", ""),
    ],
)
def test_many_rows_are_cut(most: int | None, newest_last: bool, shown: str, hidden: str) -> None:
    items = Items(tuple("abcd"), most=most, newest_last=newest_last)
    kept, left_out = items.split(items.items)
    assert ("".join(items.items[kept]), "".join(items.items[left_out])) == (shown, hidden)


def test_a_section_of_nothing_but_pictures_goes_with_them() -> None:
    beside = Section("a", (PICTURE, Paragraph("b")))
    assert without_drawings((Section("a", (PICTURE,)), Folded("a", (PICTURE,)), PICTURE)) == ()
    assert without_drawings((beside,)) == (Section("a", (Paragraph("b"),)),)


def test_a_console_keeps_the_spaces_between_spans_and_no_line_breaks() -> None:
    said = console.on_one_line((Span("a\n  b", "strong"), " · ", Span(" c")))
    assert plain(said) == "a b ·  c"


def test_words_without_their_styles() -> None:
    assert plain(("a ", Span("b", "strong"), Span(" c", link="d"))) == "a b c"
