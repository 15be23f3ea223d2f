"""The labels have another shape than the output, and the loss refuses them."""

from collections.abc import Iterator

from fitguard.checks.data.derived.feeding import feeding
from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.losses import label_kind, units
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import format_batch_shape, quote_field, quote_output
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts, Shape


@check("FG627", "label-shape", requires={"FG605"})
def label_shape(
    labelled: tuple[Labelled, ...], model: ModelFacts, data: DataFacts
) -> Iterator[Finding]:
    """
    ## What it means
    The loss compares labels and output place by place. So labels must have the shape of the output;
    for a sparse loss, that shape without its last axis, because one number stands for a row of
    classes. These do not.

    ## Why training crashes
    The first step stops: *Arguments `target` and `output` must have the same shape. Received:
    target.shape=(32, 4), output.shape=(32, 3)*, or, from the graph, *Dimensions must be equal, but
    are 2 and 3*.

    ## How to fix it
    Either the last layer has the wrong number of units, or the labels are not what the output
    stands for. A model that gives something for each time step (`return_sequences=True`, a Dense on
    a sequence) needs a label for each; with one label for the whole sequence, let it give one
    output (`return_sequences=False`, pooling, Flatten).

    ## When this is wrong
    A loss of your own is not judged.

    ## References
    - Keras: losses
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    if feeding(data).refused:
        raise Missing("the parts of x are not those of the inputs: FG604")
    for item in labelled:
        if shape_fault(item, model) != "shape" or item.field.samples == 0:
            continue
        field, output, loss = item
        expected = _find_expected_shape(item)
        yield Finding(
            title=f"{field.name} has shape {format_batch_shape(field.shape)}, but {loss.name} of "
            f"{output.name} expects {format_batch_shape(expected)}",
            evidence=(quote_field(field), quote_output(output)),
            fix=Fix(_fix(item, expected)),
        )


def _find_expected_shape(item: Labelled) -> Shape:
    rows = (item.output.shape or ())[1:]
    return rows[:-1] if label_kind(item.loss) == "classes" else rows


def _fix(item: Labelled, expected: Shape) -> str:
    field, output, loss = item
    layer = output.layer or output.name
    number = units(output) or 0
    quantities = label_kind(loss) != "classes"
    if quantities and len(expected) == 1 and not field.shape and number > 1:
        if output.activation == "softmax":
            return (
                "If the labels are class numbers, compile with "
                "loss='sparse_categorical_crossentropy', or give fit one-hot rows: "
                f"keras.utils.to_categorical({field.name}, {number})."
            )
        return f"If a sample has one number as label, give {layer} one unit instead of {number}."
    if len(expected) > len(field.shape):
        return (
            f"{layer} gives {format_batch_shape((output.shape or ())[1:])}. If a sample has one "
            "label for all of it, let the model give one output: return_sequences=False, pooling "
            "or Flatten before the last layer."
        )
    same_rank = len(field.shape) == len((output.shape or ())[1:])
    if label_kind(loss) == "classes" and same_rank and field.shape[-1] == units(output):
        return (
            "If the labels are shares of the classes, compile with loss='categorical_crossentropy'."
        )
    if same_rank and field.shape[:-1] == (output.shape or ())[1:-1] and field.shape:
        wanted = format_batch_shape(expected)
        return f"Give {layer} {field.shape[-1]} units, or fit labels of shape {wanted}."
    return f"Give fit labels of shape {format_batch_shape(expected)}, or change what {layer} gives."
