"""Evidence as quotations: what comes from one source stands together."""

from collections.abc import Sequence
from itertools import groupby

from fitguard.report.blocks import Quotation
from fitguard.schema.finding import Evidence
from fitguard.words import locate, one_line


def group_evidence(evidence: Sequence[Evidence]) -> list[Quotation]:
    """One quotation for each source in a row, with the lines where they were found."""
    groups = [list(group) for _, group in groupby(evidence, key=lambda item: item.source)]
    return [
        Quotation("\n".join(item.text.rstrip("\n") for item in group), _name_source(group))
        for group in groups
    ]


def _name_source(group: list[Evidence]) -> str:
    """`train.log:17, 19`."""
    first, *others = group
    more = [str(item.line) for item in others if item.line is not None]
    return one_line(", ".join([locate(first), *dict.fromkeys(more)]))
