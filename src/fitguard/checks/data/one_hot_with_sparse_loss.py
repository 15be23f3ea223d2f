"""The labels are one-hot, and the loss reads class numbers."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import quote_field, quote_output
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts
from fitguard.words import shape as shown


@check("FG621", "one-hot-with-sparse-loss")
def one_hot_with_sparse_loss(
    labelled: tuple[Labelled, ...], model: ModelFacts
) -> Iterator[Finding]:
    """
    ## What it means
    A label can be written as the number of its class, `2`, or as a row with a single 1 (one-hot),
    `[0, 0, 1]`. `sparse_categorical_crossentropy` reads numbers. These labels are rows.

    ## Why training crashes
    The first step stops with *Argument `output` must have rank (ndim) `target.ndim - 1`. Received:
    target.shape=(32, 10), output.shape=(32, 10)*; with tf_keras *`labels.shape` must equal
    `logits.shape` except for the last dimension*.

    ## How to fix it
    Keep the labels and compile with `categorical_crossentropy`. Or keep the loss and give it class
    numbers: `y.argmax(-1)`. Both train the same; numbers need less memory.

    ## When this is wrong
    It is told from the values: along the last axis all are 0 but one, which is 1, in everything
    that was read.

    ## References
    - Keras: `SparseCategoricalCrossentropy`, `CategoricalCrossentropy`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in labelled:
        if shape_fault(item, model) != "one_hot":
            continue
        field, output, loss = item
        yield Finding(
            title=f"{field.name} is one-hot, rows of shape {shown(field.shape)}, but the loss of "
            f"{output.name}, {loss.name}, reads class numbers",
            evidence=(quote_field(field), quote_output(output)),
            fix=Fix(
                "Compile with loss='categorical_crossentropy', or give fit class numbers: "
                f"{field.name}.argmax(-1)."
            ),
        )
