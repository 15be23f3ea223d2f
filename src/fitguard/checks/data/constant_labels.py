"""The quantities to be learned are constant, or the same twice."""

from collections.abc import Iterator

from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.tables import unusual_constants
from fitguard.checks.data.derived.wording import among, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix

_FEWEST = 20
# Wider labels are images or spectra, as an autoencoder has them: a constant border is no fault.
_MOST_COLUMNS = 256


@check("FG631", "constant-labels")
def constant_labels(labelled: tuple[Labelled, ...]) -> Iterator[Finding]:
    """
    ## What it means
    The labels are quantities. All of them, or all of one column, are the same number; or two
    columns are equal in every sample.

    ## Why training crashes
    It does not. What is constant is learned by the bias alone: the loss of that column falls to
    zero and hides in the mean how badly the others do. Two equal columns count twice.

    ## How to fix it
    Look at where the column comes from: a join that found nothing, missing values filled with 0, a
    unit that was cut off. Leave it out if it is really constant.

    ## When this is wrong
    For a trial with dummy labels, and where a column is kept for the sake of the order of columns.
    It is for information only, on 20 samples or more. Columns of zeros say nothing where most of
    the others begin at 0, as the pixels of an autoencoder do.

    ## References
    - General knowledge; that the loss goes to zero was tried with TensorFlow 2.21 and Keras 3.15
    """
    for field, output, loss in labelled:
        if label_kind(loss) != "values" or field.samples_seen < _FEWEST:
            continue
        if _is_clean(field) and field.minimum is not None and field.minimum == field.maximum:
            yield _finding(
                field, f"All values in {field.name} are {field.minimum:g} ({among(field)})"
            )
        elif len(output.shape or ()) == 2:
            yield from _columns(field)


def _is_clean(field: Field) -> bool:
    return not field.nans.count and not field.infinities.count


def _columns(field: Field) -> Iterator[Finding]:
    if field.columns is None or not field.shape or (field.shape[-1] or 0) > _MOST_COLUMNS:
        return
    for column, value in unusual_constants(field.columns, field.shape[-1] or 0)[:3]:
        yield _finding(
            field, f"Column {column} of {field.name} is {value:g} in every sample ({among(field)})"
        )
    for column, earlier in field.columns.duplicate[:3]:
        yield _finding(
            field,
            f"Columns {earlier} and {column} of {field.name} are equal in every sample "
            f"({among(field)})",
        )


def _finding(field: Field, title: str) -> Finding:
    return Finding(
        severity="info",
        title=title,
        evidence=(quote_field(field),),
        fix=Fix(
            "Look at where it comes from. Leave out what is constant or there twice.",
            changes_results=True,
        ),
    )
