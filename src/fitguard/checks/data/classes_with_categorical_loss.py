"""The labels are class numbers, and the loss reads one-hot rows."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import judge_shapes, shape_fault
from fitguard.checks.data.derived.losses import units
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import quote_field, quote_output
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import Loss, ModelFacts


@check("FG622", "classes-with-categorical-loss")
def classes_with_categorical_loss(
    labelled: tuple[Labelled, ...], model: ModelFacts
) -> Iterator[Finding]:
    """
    ## What it means
    A label can be written as the number of its class, `2`, or as a row with a single 1 (one-hot),
    `[0, 0, 1]`. `categorical_crossentropy` and its kin read rows. These labels are numbers.

    ## Why training crashes
    `categorical_crossentropy` stops with *Arguments `target` and `output` must have the same rank
    (ndim)* or *must have the same shape*. Worse are the losses that say nothing: for labels of
    shape `(n, 1)` `categorical_focal_crossentropy` of Keras 3, `categorical_hinge` and
    `kl_divergence` take the class number as a weight on all classes, and train on nonsense.

    ## How to fix it
    Compile with `sparse_categorical_crossentropy`. Or make rows:
    `keras.utils.to_categorical(y, num_classes)`.

    ## When this is wrong
    A loss of your own is not judged.

    ## References
    - Keras: `CategoricalCrossentropy`, `keras.utils.to_categorical`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in labelled:
        if shape_fault(item, model) != "classes":
            continue
        field, output, loss = item
        silent = judge_shapes(item, model) == "broadcast"
        yield Finding(
            title=f"{field.name} holds class numbers, but the loss of {output.name}, "
            f"{loss.name}, reads one-hot rows{_of(units(output))}"
            + (", and takes the numbers without an error" if silent else ""),
            evidence=(quote_field(field), quote_output(output)),
            fix=_fix(field.name, loss, units(output), silent),
        )


def _of(number: int | None) -> str:
    return "" if number is None else f" of {number}"


def _fix(name: str, loss: Loss, number: int | None, silent: bool) -> Fix:
    rows = f"keras.utils.to_categorical({name}{'' if number is None else f', {number}'})"
    if loss.name != "categorical_crossentropy":
        return Fix(f"Give fit one-hot rows: {rows}.", changes_results=silent)
    return Fix(
        f"Compile with loss='sparse_categorical_crossentropy', or give fit one-hot rows: {rows}."
    )
