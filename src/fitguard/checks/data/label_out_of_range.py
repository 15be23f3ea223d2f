"""A class label lies outside the classes that the model's output has."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import among, described, shown, spots
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG620", "label-out-of-range", requires={"FG621"})
def label_out_of_range(labelled: tuple[Labelled, ...]) -> Iterator[Finding]:
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
    - Tried with TensorFlow 2.21 on the CPU; the nan on a GPU was seen on an H200
    """
    for field, output, loss in labelled:
        if loss.name != "sparse_categorical_crossentropy" or not field.outside.count:
            continue
        units = output.shape[-1] if output.shape else None
        yield Finding(
            title=f"{field.outside.count:,} labels in {field.name} lie outside the {units} classes "
            f"of {output.name} ({among(field)})",
            evidence=(
                *spots(field, field.outside),
                described(field),
                Evidence(f"output shape {shown(output.shape or ())}", f"model, {output.name}"),
            ),
            fix=_fix(field.minimum, field.maximum, units),
        )


def _fix(lowest: float | None, highest: float | None, units: int | None) -> Fix:
    if units and lowest == 1 and highest == units:
        return Fix("The labels count from 1. Give fit labels that count from 0: y - 1.")
    if lowest is not None and lowest < 0:
        return Fix(
            f"The lowest label is {lowest:g}. If that means 'no label', set "
            f"ignore_class={lowest:g} in the loss or leave these samples out."
        )
    return Fix(
        f"The highest label is {highest:g}: the last layer needs {int(highest or 0) + 1} units, or "
        "the labels must be renumbered from 0."
    )
