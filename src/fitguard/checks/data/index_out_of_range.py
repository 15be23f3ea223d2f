"""An index is beyond the rows of the Embedding that it is looked up in."""

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
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import IndexTable


@check("FG643", "index-out-of-range", requires={"FG652"})
def index_out_of_range(fed_everywhere: tuple[Fed, ...]) -> Iterator[Finding]:
    """
    ## What it means
    An Embedding with `input_dim=n` has the rows 0 to n - 1. The data holds indices below 0 or
    above n - 1: there is no such row.

    ## Why training crashes
    On the CPU the step stops with *indices[3,7] = 10000 is not in [0, 10000)*, at the batch in
    which the index comes, perhaps after hours. A step that XLA compiled says nothing: it reads the
    last row for every index above it. On a GPU nothing is said either: without XLA zeros are read
    there, and training goes on. Keras 3 takes negative indices from the end, as Python does: -1
    is the last row, silently. In all the silent cases the model learns from the wrong rows.

    ## How to fix it
    Give the Embedding one row for each index: `input_dim` is the highest index + 1. Words that were
    counted from 1, with 0 for padding, need `len(word_index) + 1`. Or limit the indices:
    `num_words` of the data set, `max_tokens` of TextVectorization, one common index for all that is
    rare or unknown. For *missing* take an index of its own, not -1.

    ## When this is wrong
    A layer of your own between the input and the Embedding may renumber the indices. fitguard looks
    only at inputs that reach the Embedding unchanged. Negative indices may be meant, to count from
    the end; then leave this check out.

    ## References
    - Keras: `Embedding`, argument `input_dim`
    - TensorFlow: `tf.gather` (on the CPU an error, on a GPU a 0 in the output)
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU, with and without XLA, and on an H200:
      no error in both modes, zeros for an index above, the last row for -1
    """
    for field, target in fed_everywhere:
        if not target.tables or not field.outside.count:
            continue
        table = min(target.tables, key=lambda item: item.rows)
        yield Finding(
            title=f"{format_field(field)} holds {_indices(field.outside.count)} that "
            f"{table.layer}, with {number(table.rows, 'row')}, does not have"
            f"{first_at(field.outside)} ({among(field)})",
            evidence=(
                *spots(field, field.outside),
                quote_field(field),
                Evidence(f"{number(table.rows, 'row')}: 0 … {table.rows - 1}", table.layer),
            ),
            fix=_fix(field, table),
        )


def _indices(count: int) -> str:
    return f"{count:,} {'index' if count == 1 else 'indices'}"


def _fix(field: Field, table: IndexTable) -> Fix:
    lowest, highest = int(field.minimum or 0), int(field.maximum or 0)
    if lowest < 0:
        return Fix(
            f"The lowest index is {lowest}. Give what it stands for an index of its own from 0 to "
            f"{table.rows - 1}.",
            changes_results=True,
        )
    if lowest == 1 and highest == table.rows:
        return Fix(
            f"The indices count from 1. Make {table.layer} with input_dim={highest + 1} (row 0 "
            f"then stays free, for padding), or give fit {field.name} - 1.",
            changes_results=True,
        )
    return Fix(
        f"The highest index is {highest}: make {table.layer} with input_dim={highest + 1}, or put "
        f"one index below {table.rows} instead of all that lie above.",
        changes_results=True,
    )
