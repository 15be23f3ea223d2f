"""The report on data in Markdown."""

from fitguard.report.field_rows import field_table, fields_of
from fitguard.report.label_rows import LabelBars, label_bars
from fitguard.report.markdown_blocks import details, escaped, table
from fitguard.report.markdown_findings import findings_blocks
from fitguard.report.model_rows import model_rows
from fitguard.report.pipeline_rows import stage_table, unknown
from fitguard.report.reading import TITLES, origin, reading, source_of
from fitguard.report.sections import Section
from fitguard.report.summary import verdict
from fitguard.schema.data import DataReport, Source, Split


def data_blocks(report: DataReport) -> list[str]:
    """The model, the data and how much was read, the findings; pipelines and labels folded."""
    return [
        f"## fitguard data: {verdict(report)}",
        table(Section("", (), model_rows(report.facts))),
        *(block for split in TITLES for block in _split(report, split)),
        *findings_blocks(report),
        *(block for source in report.facts.sources for block in _pipeline(source)),
        *(block for labels in label_bars(report.facts) for block in _labels(labels)),
    ]


def _split(report: DataReport, split: Split) -> list[str]:
    fields, source = fields_of(report.facts, split), source_of(report, split)
    if not fields and source is None:
        return []
    came_from = origin(source) if source else ""
    heading = f"**{TITLES[split]}**" + (f", {escaped(came_from)}" if came_from else "")
    read = f"Read: {escaped(reading(source, report))}." if source else ""
    return [heading, table(field_table(fields, container=not came_from)), read]


def _pipeline(source: Source) -> list[str]:
    if source.pipeline is None:
        return []
    stages = stage_table(source.pipeline)
    title = f"{stages.title} of the {source.split} data"
    return details(title, [table(stages), escaped(unknown(source.pipeline))])


def _labels(labels: LabelBars) -> list[str]:
    rows = [(bar.label, bar.times, bar.share) for bar in labels.bars]
    return details(escaped(labels.title), [table(Section("", ("label", "seen", "share"), rows))])
