"""Columns of a table are equal to others, so they say nothing new."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.tables import listed, tables
from fitguard.checks.data.derived.wording import among, described
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG651", "duplicate-columns")
def duplicate_columns(fed: tuple[Fed, ...]) -> Iterator[Finding]:
    """
    ## What it means
    Some columns of x hold, in every sample, the same value as another column.

    ## Why training crashes
    It does not crash. The weights of both columns get the same gradients in every step, so the
    quantity counts twice: its effective learning rate is doubled, and penalties and dropout act
    on one half of it only. Often it is the sign of a mistake: a column that was joined twice, or
    one that was written over another that is now missing.

    ## How to fix it
    Leave one of the two out. First look whether the second one should hold something else.

    ## When this is wrong
    Columns that are equal in this data may differ in other data. Where only a part of the data was
    read, fitguard speaks only after 10,000 samples. Tables of more than 256 columns, and columns
    that are constant (FG650), are not judged.

    ## References
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU: the weights of both columns moved alike
    """
    for field, columns in tables(fed):
        constant = {column for column, _ in columns.constant}
        pairs = [pair for pair in columns.duplicate if pair[0] not in constant]
        if not pairs:
            continue
        numbers = [column for column, _ in pairs]
        yield Finding(
            severity="info",
            title=f"{len(pairs):,} of {field.shape[0]:,} columns of {field.name} repeat an earlier "
            f"one: {listed(numbers)} ({among(field)})",
            evidence=(
                *(
                    Evidence(f"column {column} equals column {earlier}", field.name)
                    for column, earlier in pairs[:5]
                ),
                described(field),
            ),
            fix=Fix(
                f"Leave them out: numpy.delete({field.name}, {listed(numbers, of_code=True)}, "
                "axis=1), and make the input that much narrower.",
                changes_results=True,
            ),
        )
