"""The labels have another shape than the output, and the loss computes all the same."""

from collections.abc import Iterator

from fitguard.checks.data.derived.feeding import feeding
from fitguard.checks.data.derived.label_shapes import mixes_samples, shape_fault
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import format_batch_shape, quote_field, quote_output
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.model import ModelFacts
from fitguard.words import shape as shown


@check("FG626", "label-broadcast", requires={"FG605"})
def label_broadcast(
    labelled: tuple[Labelled, ...], model: ModelFacts, data: DataFacts
) -> Iterator[Finding]:
    """
    ## What it means
    Labels and output differ in shape, in a way that TensorFlow, like NumPy, takes for an
    abbreviation: an axis of length 1 is repeated, a missing first axis is added (*broadcasting*).
    So each label meets outputs that it was not meant for.

    ## Why training crashes
    It does not crash, it trains on nonsense. Labels `(n,)` against an output `(n, 1)` in a loss
    class of your own give all `n × n` pairs: each sample learns the mean of the batch. Labels `(n,
    1)` against `(n, 3)` with `mse` train three units on the same number. Labels `(n, 3)` against
    `(n, 1)` train one unit on the mean of three. Labels `(n, 1)` against `(n, steps, 1)` train
    every time step on the label of the sequence.

    Keras fixes some of it: for its own losses, and for a loss that is a function, `(n,)` and
    `(n, 1)` are the same. Its crossentropies (but the focal ones) compare shapes and raise.

    ## How to fix it
    Give labels the shape of the output: `y[:, None]` or `y.reshape(-1, 1)`, or give the last layer
    as many units as there are labels. A sequence with one label: the last recurrent layer without
    `return_sequences=True`.

    ## When this is wrong
    Where one label for all units, or for all time steps, is meant. A loss of your own may reshape
    its labels itself: a finding on one has medium confidence.

    ## References
    - NumPy: broadcasting
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU: a loss class of one's own
      gives `n × n` pairs in Keras 3 only
    """
    if feeding(data).refused:
        raise Missing("the parts of x are not those of the inputs: FG604")
    for item in labelled:
        if _own_loss(item):
            yield _own_finding(item)
        elif shape_fault(item, model) == "broadcast":
            yield _finding(item, mixed=mixes_samples(item, model))


def _own_loss(item: Labelled) -> bool:
    """Whether a loss class of the user's own gets (n,) and (n, 1)."""
    pair = item.field.shape, (item.output.shape or ())[1:]
    return item.loss.unmatched and item.output.shape is not None and pair == ((), (1,))


def _own_finding(item: Labelled) -> Finding:
    field, output, loss = item
    return Finding(
        confidence="medium",
        title=f"{field.name} has shape (n,) and {output.name} shape (n, 1): {loss.name}, a class "
        "of your own, gets all n × n pairs",
        evidence=(quote_field(field), quote_output(output)),
        fix=Fix(
            f"Give fit {field.name}[:, None], or reshape y_true in {loss.name}.call: "
            "keras.ops.reshape(y_true, keras.ops.shape(y_pred)).",
            changes_results=True,
        ),
    )


def _finding(item: Labelled, *, mixed: bool) -> Finding:
    field, output, loss = item
    shape = output.shape or ()
    steps = not mixed and len(shape) > 2
    return Finding(
        severity="warning" if steps else "error",
        title=f"{field.name} has shape {format_batch_shape(field.shape)} and {output.name} "
        f"{format_batch_shape(shape[1:])}: {loss.name} " + _meaning(mixed, steps),
        evidence=(quote_field(field), quote_output(output)),
        fix=Fix(
            f"Give fit labels of shape {format_batch_shape(shape[1:])}, or let "
            f"{output.layer or output.name} give {shown(field.shape)} for each sample."
            + (
                " Has the sequence one label? Then leave return_sequences=True out of the last "
                "recurrent layer."
                if len(shape) > 2
                else ""
            ),
            changes_results=True,
        ),
    )


def _meaning(mixed: bool, steps: bool) -> str:
    if mixed:
        return "compares each sample with the labels of all others, without an error"
    if steps:
        return "compares each label with many places of the output, without an error"
    return "repeats the shorter one, without an error"
