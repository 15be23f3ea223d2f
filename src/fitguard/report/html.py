"""HTML: one file that needs nothing else, or a fragment for a notebook."""

import functools

from jinja2 import Environment, PackageLoader, StrictUndefined

from fitguard.report import resolution_rows, summary, words
from fitguard.report.documents import Document
from fitguard.report.headline import headline
from fitguard.report.redaction import cleaned
from fitguard.report.sections import sections
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.resolution import Resolution


def page(document: Document) -> str:
    """A whole page: no script, nothing loaded from elsewhere, light and dark, printable."""
    return _render("page.html.j2", document)


def fragment(document: Document) -> str:
    """The same look for `_repr_html_`: no <html>, and the style reaches nothing else."""
    return _render("fragment.html.j2", document)


def _render(template: str, document: Document) -> str:
    shown = cleaned(document)
    if isinstance(shown, DoctorReport):
        kind = "doctor"
    elif isinstance(shown, Resolution):
        kind = "resolution"
    else:
        kind = "facts"
    return _templates().get_template(template).render(document=shown, kind=kind)


@functools.cache
def _templates() -> Environment:
    templates = Environment(
        loader=PackageLoader("fitguard.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    templates.globals.update(
        headline=headline,
        sections=sections,
        summary=summary,
        words=words,
        resolution_rows=resolution_rows,
    )
    return templates
