"""Columns of a table have the same value in every sample, so nothing can be learned from them."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.tables import build_useless_finding, tables, unusual_constants
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding


@check("FG650", "constant-columns")
def constant_columns(fed: tuple[Fed, ...]) -> Iterator[Finding]:
    """
    ## What it means
    Some columns of x never change over the samples. Such a column says nothing about the label.

    ## Why training crashes
    It does not crash. Of a column that is always 0, the weights get no gradient: they stay the
    random numbers that they began with, and if the column is not 0 later, in use, they add noise
    to every prediction. A column that is always another number acts as a second bias. Who divides
    by the deviation of such a column, which is 0, gets nan (FG640).

    ## How to fix it
    Leave the column out. Or find out why it is constant: a join that failed, a sensor that was off,
    a filter that left one group only, a one-hot column of a category that does not occur.

    ## When this is wrong
    A column of ones that is meant as a bias is harmless. Where only a part of the data was read,
    the column may change later; fitguard speaks only after 10,000 samples then. Tables of more than
    256 columns are not judged: in flattened images many pixels are always 0. Columns of zeros say
    nothing in a table of counts, pixels or categories, where most columns begin at 0: a word or a
    category that does not occur.

    ## References
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU: the weights of the column did not move
    """
    for field, columns in tables(fed):
        constant = unusual_constants(columns, field.shape[0] or 0)
        if constant:
            each = {column: f"is {value:g} everywhere" for column, value in constant}
            yield build_useless_finding(
                field, "never change", each, " First see why they are constant."
            )
