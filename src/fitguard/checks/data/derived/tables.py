"""Tables among the inputs: fields with two axes whose columns are quantities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.wording import among, quote_field
from fitguard.schema.data import Columns, Field
from fitguard.schema.finding import Evidence, Finding, Fix

MOST_COLUMNS = 256
"""Wider ones are flattened images or counts of words, where equal columns mean nothing."""
FEWEST_SAMPLES = 32
"""In fewer, columns are equal by chance."""
ENOUGH_SAMPLES = 10_000
"""Of a part of the data, this many say something about all of it."""
_SHOWN = 8
_QUOTED = 5


def tables(fed: Iterable[Fed]) -> Iterator[tuple[Field, Columns]]:
    """The inputs whose columns can be compared, and of which enough was read."""
    for field, target in fed:
        if field.columns is None or target.tables or target.mask_value is not None:
            continue
        if len(field.shape) == 1 and (field.shape[0] or 0) <= MOST_COLUMNS and _enough(field):
            yield field, field.columns


def _enough(field: Field) -> bool:
    whole = field.samples is not None and field.samples_seen >= field.samples
    return field.samples_seen >= (FEWEST_SAMPLES if whole else ENOUGH_SAMPLES)


def unusual_constants(columns: Columns, width: int) -> tuple[tuple[int, float], ...]:
    """The constant columns, without those of zeros where most of the others begin at 0.

    In a table of counts, pixels or categories a word that does not occur, or the border of all
    images, is usual.
    """
    others = width - len(columns.constant)
    usual = others > 0 and 2 * columns.from_zero >= others
    return tuple(pair for pair in columns.constant if pair[1] or not usual)


def build_useless_finding(
    field: Field, said: str, each: Mapping[int, str], advice: str = ""
) -> Finding:
    """A finding on columns that can be left out.

    Args:
        said: What they all do: `never change`.
        each: The columns, with what is seen of each.
        advice: What to do beside leaving them out.
    """
    numbers = list(each)
    seen = [Evidence(f"column {number} {words}", field.name) for number, words in each.items()]
    return Finding(
        severity="info",
        title=f"{len(numbers):,} of {field.shape[0]:,} columns of {field.name} {said}: "
        f"{join_numbers(numbers)} ({among(field)})",
        evidence=(*seen[:_QUOTED], quote_field(field)),
        fix=Fix(
            f"Leave them out: numpy.delete({field.name}, {join_numbers(numbers, of_code=True)}, "
            f"axis=1), and make the input that much narrower.{advice}",
            changes_results=True,
        ),
    )


def join_numbers(numbers: Sequence[int], *, of_code: bool = False) -> str:
    """`2, 5, 7`; of more than a few, `2, 5, … 31`; as code, `[2, 5, 7]`."""
    if of_code:
        return f"[{', '.join(map(str, numbers))}]"
    if len(numbers) <= _SHOWN:
        return ", ".join(map(str, numbers))
    return f"{', '.join(map(str, numbers[: _SHOWN - 1]))}, … {numbers[-1]}"
