"""The report on data on a console: model, data and how much was read, then the findings."""

from fitguard.report.field_rows import field_name, field_words, fields_of
from fitguard.report.model_rows import model_rows
from fitguard.report.pipeline_rows import chain
from fitguard.report.reading import TITLES, is_doubtful, origin, reading, source_of
from fitguard.report.text_findings import print_findings
from fitguard.report.text_page import Page
from fitguard.report.words import count, one_line
from fitguard.schema.data import DataReport, Split

INDENT = "  "
WIDEST_LABEL = 24
MOST_FIELDS = 12
"""More fields than these would push the findings off the screen."""


def print_data(report: DataReport, page: Page, *, verbose: bool) -> None:
    """What was judged, then the findings; if `verbose`, all fields, inputs and outputs."""
    for name, value in model_rows(report.facts, every=verbose):
        page.row(name, one_line(value), columns=8)
    page.blank()
    for split in TITLES:
        _print_split(report, split, page, verbose=verbose)
    print_findings(report, page, verbose=verbose)


def _print_split(report: DataReport, split: Split, page: Page, *, verbose: bool) -> None:
    fields, source = fields_of(report.facts, split), source_of(report, split)
    if not fields and source is None:
        return
    came_from = origin(source) if source else ""
    page.put((TITLES[split], "bold"), f" · {one_line(came_from)}" if came_from else "")
    shown = fields if verbose else fields[:MOST_FIELDS]
    rows = [
        (page.spelled(field_name(field)), field_words(field, container=not came_from))
        for field in shown
    ]
    columns = min(max([len("pipeline"), *(len(name) for name, _ in rows)]), WIDEST_LABEL)
    for name, value in rows:
        page.row(name, one_line(value), columns, INDENT)
    if left_out := len(fields) - len(shown):
        page.put((f"… {count(left_out, 'more field')} (--verbose lists them)", "dim"), first=INDENT)
    if source and source.pipeline:
        page.row("pipeline", one_line(chain(source.pipeline)), columns, INDENT)
    if source:
        style = "yellow" if is_doubtful(source) else ""
        page.row("read", one_line(reading(source, report)), columns, INDENT, style)
    page.blank()
