"""A binary loss is given labels that are not between 0 and 1."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.losses import find_label_limits, label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import among, quote_field, quote_output, spots
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG623", "binary-label-range")
def binary_label_range(labelled: tuple[Labelled, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    Binary losses read a label as no (0) or yes (1), or as a probability between. The hinge losses
    read -1 and 1; Keras makes that of 0 and 1. These labels hold other numbers.

    ## Why training crashes
    Nothing is raised. For a label beyond 0 and 1 `binary_crossentropy` has no lowest value: the
    further the output moves, the lower the loss. It falls below zero and on for ever, the weights
    grow without end, and what the model learns is not the task. `dice` and `tversky` turn negative
    too.

    ## How to fix it
    Map the two labels to 0 and 1: `(y > 0)` for -1 and 1, `y - 1` for 1 and 2, `y / 255` for masks
    from image files. For more than two classes use one unit for each, softmax, and
    `sparse_categorical_crossentropy`.

    ## When this is wrong
    A loss of your own is not judged.

    ## References
    - Keras: `BinaryCrossentropy`, `BinaryFocalCrossentropy`, `Dice`, `Hinge`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in labelled:
        field, output, loss = item
        if label_kind(loss) not in ("binary", "signs") or not field.outside.count:
            continue
        if shape_fault(item, model):
            continue
        lowest, highest = find_label_limits(output)
        yield Finding(
            title=f"{field.outside.count:,} values in {field.name} are not within {lowest:g} and "
            f"{highest:g}, which {loss.name} of {output.name} reads ({among(field)})",
            evidence=(*spots(field, field.outside), quote_field(field), quote_output(output)),
            fix=Fix(_fix(field, signs=label_kind(loss) == "signs"), changes_results=True),
        )


def _fix(field: Field, *, signs: bool) -> str:
    name, seen = field.name, (field.minimum, field.maximum)
    if seen == (0, 255):
        return f"Bring the labels to 0 … 1: {name} / 255."
    whole = field.labels is not None and field.labels.integral
    distinct = field.labels.distinct if field.labels else None
    if whole and distinct == 2 and seen != (None, None):
        wanted = "-1 and 1" if signs else "0 and 1"
        return f"There are two labels, {seen[0]:g} and {seen[1]:g}. Make {wanted} of them: " + (
            f"2 * ({name} == {seen[1]:g}) - 1." if signs else f"{name} == {seen[1]:g}."
        )
    if whole and field.shape in ((), (1,)) and seen[1] is not None:
        number = int(seen[1]) + 1
        return (
            f"The labels run from {seen[0]:g} to {seen[1]:g}. If they are classes: give the last "
            f"layer {number} units and softmax, and compile with "
            "loss='sparse_categorical_crossentropy'. If they are quantities: no activation, and "
            "loss='mse'."
        )
    return "Bring the labels to 0 … 1, or, if they are quantities, compile with loss='mse'."
