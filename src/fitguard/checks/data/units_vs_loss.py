"""The number of units of an output cannot work with its loss."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.losses import label_kind, loss_class, units
from fitguard.checks.data.derived.outputs import Trained
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import quote_field, quote_output
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG632", "units-vs-loss")
def units_vs_loss(
    trained: tuple[Trained, ...], model: ModelFacts, labelled: tuple[Labelled, ...] | None = None
) -> Iterator[Finding]:
    """
    ## What it means
    Softmax and the categorical losses share out 1 among the units: they need one unit for each
    class, two at least. The binary losses read each unit by itself: a yes or no a sample needs one
    unit and sigmoid, `k` units need `k` labels a sample.

    ## Why training crashes
    *Softmax on one unit* gives 1.0, whatever the input. With `binary_crossentropy` Keras trains on
    what is before the softmax, so that the loss falls; the predictions stay 1.0 all the same, and
    the accuracy never moves.

    *A categorical loss on one unit* is 0.0 from the first step, while the weights drift away:
    nothing is learned.

    *A sparse loss on one unit* knows class 0 only: label 1 stops the step on the CPU, and gives nan
    on a GPU.

    *A binary loss on several units* with one label a sample stops with *Arguments `target` and
    `output` must have the same rank*, or *the same shape*.

    ## How to fix it
    Two classes: `Dense(1, activation="sigmoid")` and `binary_crossentropy`. Several classes, labels
    as numbers: `Dense(k, activation="softmax")` and `sparse_categorical_crossentropy`. Several
    labels at once: `Dense(k, activation="sigmoid")`, `binary_crossentropy`, and labels of shape
    `(n, k)`.

    ## When this is wrong
    A loss of your own is not judged, but softmax on one unit is wrong with any.

    ## References
    - Keras: losses
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in trained:
        if units(item.output) == 1 and (problem := _one_unit(item)):
            yield Finding(
                title=f"The output {item.output.name} has one unit, {problem}",
                evidence=(quote_output(item.output),),
                fix=Fix(_one_unit_fix(item), changes_results=True),
            )
    for pair in labelled or ():
        if shape_fault(pair, model) == "units":
            yield _several_units(pair)


def _one_unit(item: Trained) -> str:
    output, loss = item
    # Behind more axes the softmax may run along another one, as in attention.
    if output.activation == "softmax" and len(output.shape or ()) == 2:
        return "and its softmax is 1.0 for every input"
    kind = label_kind(loss)
    if kind == "classes":
        return f"and {loss.name} reads as many classes as there are units"
    if kind == "one_hot" and loss.name != "kl_divergence":
        return f"and {loss.name} over one class is constant"
    return ""


def _one_unit_fix(item: Trained) -> str:
    if label_kind(item.loss) == "values":
        return (
            "For a quantity: no activation. For two classes: activation='sigmoid' and "
            "loss='binary_crossentropy'."
        )
    return (
        "Two classes: activation='sigmoid' and loss='binary_crossentropy'. More: one unit for each "
        "class and activation='softmax'."
    )


def _several_units(pair: Labelled) -> Finding:
    field, output, loss = pair
    number = units(output)
    classes = "sparse_categorical_crossentropy"
    return Finding(
        title=f"{output.name} has {number} units, {field.name} one label a sample, and "
        f"{loss.name} needs a label for each unit",
        evidence=(quote_field(field), quote_output(output)),
        fix=Fix(
            f"If the labels are classes, give the last layer activation='softmax' and compile with "
            f"loss='{classes}'. If they are yes or no, give it one unit for {loss_class(loss)}."
        ),
    )
