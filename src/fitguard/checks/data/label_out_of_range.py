"""A class label lies outside the classes that the model's output has."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.losses import label_kind, units
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import among, quote_field, quote_output, spots
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts

_FROM_NAN = -(2**31)


@check("FG620", "label-out-of-range", requires={"FG634"})
def label_out_of_range(labelled: tuple[Labelled, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    The loss is a sparse one: each label is the number of a class, counted from 0. With `n` units in
    the last layer, labels run from 0 to `n - 1`. Here some are below or above.

    ## Why training crashes
    On the CPU the step stops with *Received a label value of 10 which is outside the valid range of
    [0, 10)*. On a GPU nothing is said: the loss of that sample is nan, and after one step every
    weight is nan. If the bad label comes late, hours of training are lost.

    ## How to fix it
    Labels that are counted from 1: subtract 1. Labels such as -1 or 255 for "no label": give the
    loss `ignore_class`, or leave those samples out. More classes than units: enlarge the last
    layer.

    ## When this is wrong
    A loss of your own may read other numbers; this check then does not look at it.

    ## References
    - Keras: `SparseCategoricalCrossentropy`, argument `ignore_class`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU, and with Keras 3.15 on an
      H200, with and without XLA: no error, the loss and all weights nan
    """
    for item in labelled:
        field, output, loss = item
        number = units(output)
        if label_kind(loss) != "classes" or not field.outside.count or number == 1:
            continue
        if shape_fault(item, model):
            continue
        yield Finding(
            title=f"{_many(field)} in {field.name} outside the "
            f"{'' if number is None else f'{number} '}classes of {output.name} ({among(field)})",
            evidence=(
                *spots(field, field.outside),
                quote_field(field),
                quote_output(output),
            ),
            fix=_fix(field, number),
        )


def _many(field: Field) -> str:
    number = field.outside.count
    return "1 label lies" if number == 1 else f"{number:,} labels lie"


def _fix(field: Field, number: int | None) -> Fix:
    name, lowest, highest = field.name, int(field.minimum or 0), int(field.maximum or 0)
    if number and lowest == 1 and highest == number:
        return Fix(f"The labels count from 1. Give fit labels that count from 0: {name} - 1.")
    if lowest <= _FROM_NAN:
        return Fix(
            f"{lowest} is what a nan becomes when it is cast to an integer. Fill or leave out the "
            "gaps before the cast."
        )
    distinct = field.labels.distinct if field.labels else None
    if (lowest, distinct) == (-1, number) and highest == 1:
        return Fix(f"The labels are -1 and 1. Give fit 0 and 1: ({name} + 1) // 2.")
    if lowest < 0:
        return Fix(
            f"The lowest label is {lowest}. If that means 'no label', compile with "
            f"loss=keras.losses.SparseCategoricalCrossentropy(ignore_class={lowest}), or leave "
            "these samples out."
        )
    return Fix(
        f"The highest label is {highest}: the last layer needs {highest + 1} units, or the labels "
        f"must be renumbered from 0. If it means 'no label', give the loss ignore_class={highest}."
    )
