"""Indices for an Embedding have fractions, which are cut off: 0.7 reads row 0."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.wording import (
    among,
    first_at,
    format_field,
    number,
    quote_field,
    spots,
)
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG652", "index-fractions")
def index_fractions(fed_everywhere: tuple[Fed, ...]) -> Iterator[Finding]:
    """
    ## What it means
    An Embedding looks up rows by number: 0, 1, 2. The data for it holds numbers with fractions.

    ## Why training crashes
    Nothing is raised. Keras casts the indices to integers, which cuts the fraction off: 0.2 and 0.9
    both read row 0. The usual reason is data that was scaled, divided by its maximum or
    standardised: then all indices are 0, the model sees the same input in every sample, and the
    loss gets no lower than without any input.

    ## How to fix it
    Give the Embedding the indices as they were before scaling, as integers. Where the numbers are
    quantities and no indices, use a Dense layer instead of the Embedding, or sort them into bins
    with a Discretization layer first.

    ## When this is wrong
    If the fraction is meant to be cut off, write that out: `x.astype("int32")`.

    ## References
    - Keras: `Embedding` casts inputs that are no integers to int32
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    for field, target in fed_everywhere:
        if not target.tables or not field.fractions.count:
            continue
        yield Finding(
            title=f"{format_field(field)} holds {number(field.fractions.count, 'fraction')} "
            f"instead of indices of {target.tables[0].layer}"
            f"{first_at(field.fractions)} ({among(field)})",
            evidence=(
                *spots(field, field.fractions),
                quote_field(field),
                Evidence(f"looks up one of {target.tables[0].rows:,} rows", target.tables[0].layer),
            ),
            fix=Fix(
                f"Give {format_field(field)} as integers from 0 to {target.tables[0].rows - 1}, "
                "without scaling. If they are quantities, use Dense instead of the Embedding.",
                changes_results=True,
            ),
        )
