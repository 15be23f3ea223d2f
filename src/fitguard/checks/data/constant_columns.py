"""Columns of a table have the same value in every sample, so nothing can be learned from them."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.tables import listed, tables, unusual_constants
from fitguard.checks.data.derived.wording import among, described
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix


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
        if not constant:
            continue
        width = field.shape[0]
        numbers = [column for column, _ in constant]
        yield Finding(
            severity="info",
            title=f"{len(numbers):,} of {width:,} columns of {field.name} never change: "
            f"{listed(numbers)} ({among(field)})",
            evidence=(
                *(
                    Evidence(f"column {column} is {value:g} everywhere", field.name)
                    for column, value in constant[:5]
                ),
                described(field),
            ),
            fix=Fix(
                f"Leave them out: numpy.delete({field.name}, {listed(numbers, of_code=True)}, "
                "axis=1), and make the input that much narrower. First see why they are constant.",
                changes_results=True,
            ),
        )
