"""The page of a report on data: model, data and how much was read, then the findings."""

from collections.abc import Iterator

from fitguard.report.blocks import Folded, Page, Pairs, Paragraph, Row, Section, Span, present
from fitguard.report.pages.findings import build_findings, build_verdict
from fitguard.report.rows.fields import field_table, fields_of
from fitguard.report.rows.labels import label_tables
from fitguard.report.rows.model import fold_ends, model_rows
from fitguard.report.rows.pipeline import chain, stage_table, unknown
from fitguard.report.rows.reading import TITLES, is_doubtful, origin, reading, source_of
from fitguard.schema.data import DataReport, Source, Split
from fitguard.schema.finding import Evidence
from fitguard.words import join


def build_page(report: DataReport) -> Page:
    """Pipelines and labels are folded."""
    splits = (_build_split(report, split) for split in TITLES)
    return Page(
        "fitguard data",
        present(
            Pairs((*_describe_place(report.place), *model_rows(report.facts))),
            *fold_ends(report.facts.model),
            *splits,
            *build_findings(report, place=report.place),
            *map(_fold_pipeline, report.facts.sources),
            *(Folded(title, (table,)) for title, table in label_tables(report.facts)),
        ),
        build_verdict(report, "No problem found in the data"),
    )


def _describe_place(place: Evidence | None) -> Iterator[Row]:
    if place is not None:
        yield "Script", join([f"{place.source}:{place.line}", place.text])


def _build_split(report: DataReport, split: Split) -> Section:
    fields, source = fields_of(report.facts, split), source_of(report, split)
    came_from = origin(source) if source else ""
    title = (TITLES[split], Span(f" · {came_from}", "faint")) if came_from else TITLES[split]
    rows = tuple(_describe_source(source, report)) if source else ()
    return Section(title, present(field_table(fields, container=not came_from), Pairs(rows)))


def _describe_source(source: Source, report: DataReport) -> Iterator[Row]:
    if source.pipeline:
        yield "pipeline", chain(source.pipeline)
    read = reading(source, report)
    yield "read", Span(read, tone="warning") if is_doubtful(source) else read


def _fold_pipeline(source: Source) -> Folded | None:
    if source.pipeline is None:
        return None
    rest = Paragraph(Span(unknown(source.pipeline), "faint"))
    title = f"Pipeline of the {source.split} data"
    return Folded(title, present(stage_table(source.pipeline), rest))
