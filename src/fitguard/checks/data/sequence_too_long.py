"""Sequences are longer than the table of positions that the model adds to them."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed, fields
from fitguard.checks.data.derived.wording import format_field, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG644", "sequence-too-long", requires={"FG605"})
def sequence_too_long(fed_everywhere: tuple[Fed, ...], data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    A transformer learns a vector for each position, in a table of fixed length. Here a sequence has
    more steps than that table has rows.

    ## Why training crashes
    On the CPU the step stops with *indices[512] = 512 is not in [0, 512)*, or, where the table is
    added as a whole, with *Incompatible shapes*. A step that XLA compiled says nothing and gives
    all later steps the last position. On a GPU an index that is too high raises nothing either: the
    model then learns without an order beyond that point.

    ## How to fix it
    Cut the sequences: `sequences[:, :512]`, `maxlen=512` in `pad_sequences`,
    `output_sequence_length=512` in TextVectorization. Or make the table longer, and train it: its
    new rows know nothing. Long texts can be cut into windows that overlap.

    ## When this is wrong
    fitguard knows a table of positions by its name and by how it is used. If the layer cuts or
    pools its input before it adds positions, leave this check out.

    ## References
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU, with and without XLA; not tried on a GPU
    """
    for field, target in fed_everywhere:
        length = _longest(field, data)
        if target.longest is None or length is None or length <= target.longest:
            continue
        table = target.longest_layer or "its table of positions"
        yield Finding(
            title=f"{format_field(field)} has sequences of {length:,} steps, and {table} has "
            f"{target.longest:,} positions",
            evidence=(
                quote_field(field),
                Evidence(f"{target.longest:,} positions: 0 … {target.longest - 1:,}", table),
            ),
            fix=Fix(
                f"Cut the sequences to {target.longest} steps ({field.name}[:, :{target.longest}]) "
                f"or make {table} with {length} positions.",
                changes_results=True,
            ),
        )


def _longest(field: Field, data: DataFacts) -> int | None:
    """Steps of the longest sequence that was seen; the batches tell where they differ."""
    if not field.shape:
        return None
    if field.shape[0] is not None:
        return field.shape[0]
    if field != fields(data, field.split, "x")[0]:
        return None
    lengths = [
        shape[1]
        for source in data.sources
        if source.split == field.split
        for shape in source.batch_shapes
        if len(shape) > 1 and shape[1] is not None
    ]
    return max(lengths, default=None)
