"""How often each label was seen, for fields with few of them."""

from collections.abc import Sequence
from typing import NamedTuple

from fitguard.report.field_rows import field_name
from fitguard.report.words import number, short
from fitguard.schema.data import ClassCount, DataFacts, Field

MOST_LABELS = 50
LONGEST_LABEL = 40


class LabelBar(NamedTuple):
    """One label.

    Args:
        times: With thousands separators.
        share: Of all that were seen.
        width: Of its bar, against the most frequent label: 0 to 100.
    """

    label: str
    times: str
    share: str
    width: float


class LabelBars(NamedTuple):
    """The labels of one field, in their own order where they are numbers."""

    title: str
    bars: list[LabelBar]


def label_bars(facts: DataFacts) -> list[LabelBars]:
    """The fields of which all labels are counted, if they are not too many to look at."""
    return [
        LabelBars(_title(field), _bars(field))
        for field in facts.fields
        if field.labels
        and field.labels.counts
        and field.labels.distinct == len(field.labels.counts) <= MOST_LABELS
    ]


def _title(field: Field) -> str:
    validation = "validation " if field.split == "validation" else ""
    return f"Labels of {validation}{field_name(field)}"


def _bars(field: Field) -> list[LabelBar]:
    counts = _in_order(field.labels.counts if field.labels else ())
    total = sum(item.count for item in counts) or 1
    most = max(item.count for item in counts) or 1
    return [
        LabelBar(
            short(item.value, LONGEST_LABEL) if isinstance(item.value, str) else number(item.value),
            f"{item.count:,}",
            _share(item.count, total),
            round(100 * item.count / most, 1),
        )
        for item in counts
    ]


def _share(part: int, whole: int) -> str:
    """All with one digit behind the point, so that they can be compared down the column."""
    share = 100 * part / whole
    return f"{share:.1f} %" if share >= 0.1 or not part else "< 0.1 %"


def _in_order(counts: Sequence[ClassCount]) -> Sequence[ClassCount]:
    """Numbers ascend; text stays as it comes, the most frequent first."""
    if any(isinstance(item.value, str) for item in counts):
        return counts
    return sorted(counts, key=lambda item: float(item.value))
