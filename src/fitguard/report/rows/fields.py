"""The fields of the data: what each is, what was seen of it, and where in the model it goes."""

from fitguard.report.blocks import Table
from fitguard.report.rows.tables import drop_empty_columns
from fitguard.schema.data import DataFacts, Field, Labels, Split
from fitguard.words import LEAST_BYTES, count, join, number, shape, short, size

LONGEST_NAME = 60
MOST_EXAMPLES, LONGEST_EXAMPLE = 3, 30

MOST_FIELDS = 12
"""More fields than these would push the findings off a console."""

HEADERS = ("field", "container", "values", "range", "remarks")


def fields_of(facts: DataFacts, split: Split) -> list[Field]:
    """The fields of the training or of the validation data, in their order."""
    return [field for field in facts.fields if field.split == split]


def field_name(field: Field) -> str:
    """`x → image`."""
    name = short(field.name, LONGEST_NAME)
    return f"{name} → {short(field.target, LONGEST_NAME)}" if field.target else name


def field_table(fields: list[Field], *, container: bool) -> Table:
    """One row for each field: `x → image`, `60,000 × (28, 28) uint8`, `0 … 255`, and remarks.

    Args:
        container: Whether to name it: batches of a stream are not the user's own arrays.
    """
    rows = tuple(
        (
            field_name(field),
            short(field.container, LONGEST_NAME) if container else "",
            _describe_values(field),
            value_range(field),
            remarks(field),
        )
        for field in fields
    )
    table = Table(HEADERS, rows, listed=True, most=MOST_FIELDS, noun="more field")
    return drop_empty_columns(table)


def _describe_values(field: Field) -> str:
    many = "" if field.samples is None else f"{field.samples:,} × "
    axes = f"{shape(field.shape)} " if field.shape else ""
    return f"{many}{axes}{short(field.dtype, LONGEST_NAME)}"


def value_range(field: Field) -> str:
    """`0 … 255`; one number where all values are equal."""
    if field.minimum is None or field.maximum is None:
        return ""
    low, high = number(field.minimum), number(field.maximum)
    return f"all {low}" if low == high else f"{low} … {high}"


def remarks(field: Field) -> str:
    """What else is worth a word: labels, what is no number, the size."""
    taken = field.size_bytes or 0
    kept = " in a file" if field.mapped else ""
    return join(
        [
            _labels(field.labels) if field.labels else None,
            f"{field.nans.count:,} nan" if field.nans.count else None,
            f"{field.infinities.count:,} inf" if field.infinities.count else None,
            f"{field.outside.count:,} out of range" if field.outside.count else None,
            f"holds {', '.join(field.python_types)}" if field.python_types else None,
            _examples(field),
            f"{size(taken)}{kept}" if taken >= LEAST_BYTES else None,
        ]
    )


def _labels(labels: Labels) -> str:
    distinct = count(labels.distinct, "different label") if labels.distinct else ""
    return ", ".join(part for part in ("one-hot" if labels.one_hot else "", distinct) if part)


def _examples(field: Field) -> str | None:
    shown = [short(example, LONGEST_EXAMPLE) for example in field.examples[:MOST_EXAMPLES]]
    return f"such as {', '.join(shown)}" if shown else None
