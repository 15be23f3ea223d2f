"""HTML: one file that needs nothing else, or a fragment for a notebook."""

import functools
import re

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from fitguard.report import (
    chart,
    diagnosis_parts,
    field_rows,
    label_rows,
    model_rows,
    pipeline_rows,
    plan_bar,
    plan_curve,
    plan_rows,
    plan_words,
    reading,
    resolution_rows,
    run_lines,
    run_loss,
    run_memory,
    run_rows,
    run_timeline,
    run_words,
    summary,
    words,
)
from fitguard.report.documents import Document
from fitguard.report.excerpt import excerpted
from fitguard.report.headline import headline
from fitguard.report.redaction import cleaned
from fitguard.report.sections import sections
from fitguard.schema.data import DATA_SCHEMA
from fitguard.schema.diagnosis import DIAGNOSIS_SCHEMA, Diagnosis
from fitguard.schema.doctor import DOCTOR_SCHEMA
from fitguard.schema.facts import FACTS_SCHEMA
from fitguard.schema.plan import PLAN_SCHEMA
from fitguard.schema.resolution import RESOLVE_SCHEMA
from fitguard.schema.run import RUN_SCHEMA
from fitguard.schema.run_list import RUNS_SCHEMA

LONGEST_QUOTATION = 1000
KINDS: dict[str, str] = {
    DATA_SCHEMA: "data",
    DIAGNOSIS_SCHEMA: "diagnosis",
    DOCTOR_SCHEMA: "doctor",
    FACTS_SCHEMA: "facts",
    PLAN_SCHEMA: "plan",
    RESOLVE_SCHEMA: "resolution",
    RUN_SCHEMA: "run",
    RUNS_SCHEMA: "runs",
}
"""The template of each kind of document."""

_TICKED = re.compile(r"`([^`\n]+)`")


def page(document: Document) -> str:
    """A whole page: no script, nothing loaded from elsewhere, light and dark, printable."""
    return _render("page.html.j2", document)


def fragment(document: Document) -> str:
    """The same look for `_repr_html_`: no <html>, and the style reaches nothing else."""
    return _render("fragment.html.j2", document)


def _render(template: str, document: Document) -> str:
    if isinstance(document, Diagnosis):
        document = excerpted(document, LONGEST_QUOTATION)
    shown = cleaned(document)
    kind = KINDS[document.schema]
    return _templates().get_template(template).render(document=shown, kind=kind)


def ticked(text: str) -> Markup:
    """The text, with what stands between backticks as code."""
    return Markup(_TICKED.sub(r"<code>\1</code>", str(escape(text))))


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
        charts=chart,
        curves=plan_curve,
        fields=field_rows,
        headline=headline,
        labels=label_rows,
        losses=run_loss,
        memories=run_memory,
        model=model_rows,
        parts=diagnosis_parts,
        pipelines=pipeline_rows,
        plan_bar=plan_bar,
        plan_rows=plan_rows,
        plans=plan_words,
        reading=reading,
        run_lines=run_lines,
        run_rows=run_rows,
        runs=run_words,
        sections=sections,
        summary=summary,
        timelines=run_timeline,
        words=words,
        resolution_rows=resolution_rows,
    )
    templates.filters["ticked"] = ticked
    return templates
