"""How often each label was seen, for fields with few of them."""

from collections.abc import Iterator, Sequence

from fitguard.report.blocks import Table
from fitguard.report.rows.fields import field_name
from fitguard.schema.data import ClassCount, DataFacts
from fitguard.words import number, short

MOST_LABELS = 50
LONGEST_LABEL = 40


def label_tables(facts: DataFacts) -> Iterator[tuple[str, Table]]:
    """A title and a table for each field whose labels are all counted, and not too many to show."""
    for field in facts.fields:
        labels = field.labels
        if labels and labels.counts and labels.distinct == len(labels.counts) <= MOST_LABELS:
            validation = "validation " if field.split == "validation" else ""
            yield f"Labels of {validation}{field_name(field)}", _build_table(labels.counts)


def _build_table(unordered: Sequence[ClassCount]) -> Table:
    """The bar of a label is drawn against the most frequent one."""
    counts = _in_order(unordered)
    total = sum(item.count for item in counts) or 1
    most = max(item.count for item in counts) or 1
    rows = tuple((_name(item), f"{item.count:,}", _share(item.count, total)) for item in counts)
    bars = tuple(round(100 * item.count / most, 1) for item in counts)
    return Table(("label", "seen", "share"), rows, bars=bars)


def _name(item: ClassCount) -> str:
    if isinstance(item.value, str):
        return short(item.value, LONGEST_LABEL)
    return number(item.value)


def _share(part: int, whole: int) -> str:
    """All with one digit behind the point, so that they can be compared down the column."""
    share = 100 * part / whole
    return f"{share:.1f} %" if share >= 0.1 or not part else "< 0.1 %"


def _in_order(counts: Sequence[ClassCount]) -> Sequence[ClassCount]:
    """Numbers ascend; text stays as it comes, the most frequent first."""
    if any(isinstance(item.value, str) for item in counts):
        return counts
    return sorted(counts, key=lambda item: float(item.value))
