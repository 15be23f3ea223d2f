"""HTML: one file that needs nothing else, or a fragment for a notebook."""

import functools
import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fitguard.report.blocks import Block, plain, spans
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
