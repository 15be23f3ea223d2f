"""Columns of a table are equal to others, so they say nothing new."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.tables import build_useless_finding, tables
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding


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
        each = {
            column: f"equals column {earlier}"
            for column, earlier in columns.duplicate
            if column not in constant
        }
        if each:
            yield build_useless_finding(field, "repeat an earlier one", each)
