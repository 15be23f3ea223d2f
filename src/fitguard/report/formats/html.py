"""HTML: one file that needs nothing else, or a fragment for a notebook."""

import functools
import re
from collections.abc import Iterable, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fitguard.report.blocks import Block, Verdict, plain, spans
from fitguard.report.registry import Document, build_page
from fitguard.report.rows.quotations import group_evidence

LONGEST_QUOTATION = 1000
_TICKED = re.compile(r"`([^`\n]+)`")


def to_html(document: Document) -> str:
    """A whole page: no script, nothing loaded from elsewhere, light and dark, printable."""
    return _render("page.html.j2", document)


def fragment(document: Document) -> str:
    """The same look for `_repr_html_`: no <html>, and the style reaches nothing else."""
    return _render("fragment.html.j2", document)


def show_blocks(blocks: Iterable[Block]) -> list[str]:
    """Each block as a fragment of its own; the style is that of `to_live_page`."""
    macros: Any = _templates().get_template("blocks.html.j2").module
    return [
        str(macros.verdict(block) if isinstance(block, Verdict) else macros.show_cards([block]))
        for block in blocks
    ]


def to_live_page(parts: Mapping[str, str], *, title: str, stream: str, nonce: str) -> str:
    """A page that keeps itself new.

    Args:
        parts: Fragments by name, as they are now.
        stream: Address of the events that bring newer ones.
        nonce: The word by which the browser knows our script and our style.
    """
    template = _templates().get_template("live.html.j2")
    fragments = {name: Markup(part) for name, part in parts.items()}
    return template.render(parts=fragments, title=title, stream=stream, nonce=nonce)


def mark_code(text: str) -> Markup:
    """The text, with what stands between backticks as code."""
    return Markup(_TICKED.sub(r"<code>\1</code>", str(escape(text))))


def _render(template: str, document: Document) -> str:
    page = build_page(document, LONGEST_QUOTATION)
    return _templates().get_template(template).render(page=page)


def _name_kind(block: Block) -> str:
    """The class of a block, by which templates choose its macro."""
    return type(block).__name__


@functools.cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("fitguard.report.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.globals.update(
        spans=spans, plain=plain, name_kind=_name_kind, group_evidence=group_evidence
    )
    templates.filters["mark_code"] = mark_code
    return templates
