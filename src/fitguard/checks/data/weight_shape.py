"""The shape of the sample weights does not fit the loss values that they are multiplied with."""

from collections.abc import Iterator

from fitguard.checks.data.derived.everywhere import Weighted
from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.wording import format_batch_shape, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts, ModelOutput, Shape
from fitguard.words import shape as shown

# These give one loss for the whole batch.
_WHOLE_BATCH = ("dice", "tversky")


@check("FG649", "weight-shape")
def weight_shape(weighted: tuple[Weighted, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    A loss of Keras gives one value for each position of the output, its last axis taken together:
    of an output `(batch, 10)` one for each sample, of `(batch, steps, 10)` one for each step.
    Weights are multiplied with these values, so their shape must be the same, or be 1 where one
    weight is to count for a whole axis. Here it is not.

    ## Why training crashes
    The first step stops with *Dimensions must be equal, but are 8 and 3 … compile_loss/mul*. Where
    the lengths happen to agree, nothing is raised and nonsense is trained: with weights `(batch,)`
    and losses `(batch, steps)`, and as many steps as samples in a batch, the weight of sample 3
    is multiplied with step 3 of every sample. Keras 3 widens weights only where the last axis of
    the losses is 1; tf_keras widens `(batch,)` to `(batch, 1)` by itself.

    ## How to fix it
    One weight for each sample: `sample_weight.reshape(-1, 1)` for an output with steps,
    `reshape(-1, 1, 1)` for an image. One weight for each step or pixel: the shape of the output
    without its last axis. Weights for each class are no sample weights: use `class_weight`.

    ## When this is wrong
    For a loss of your own, which may give values of any shape, this check says nothing.

    ## References
    - Keras: `fit`, argument `sample_weight`
    - Tried with TensorFlow 2.21 on the CPU: 35 pairs of shapes with Keras 3.15, 19 with tf_keras
    """
    for field, outputs in weighted:
        for output in outputs:
            values = _loss_shape(output)
            if values is None or _fits(field.shape, values, model):
                continue
            yield Finding(
                title=f"{field.name} has the shape {format_batch_shape(field.shape)}, and the "
                f"losses of {output.name} have {format_batch_shape(values)}",
                evidence=(
                    quote_field(field),
                    Evidence(f"output shape {shown(output.shape or ())}", f"model, {output.name}"),
                ),
                fix=_fix(field, values),
            )


def _loss_shape(output: ModelOutput) -> Shape | None:
    """Of the values that the loss gives for one sample; None where that is not known."""
    if output.loss is None or not label_kind(output.loss) or not output.shape:
        return None
    if output.loss.name in _WHOLE_BATCH or len(output.shape) < 2:
        return None
    return output.shape[1:-1]


def _fits(weights: Shape, values: Shape, model: ModelFacts) -> bool:
    """Whether each weight meets the losses of its own sample."""
    if len(weights) == len(values) + 1 and weights[-1] in (1, None):
        weights = weights[:-1]
    elif len(values) == len(weights) + 1 and _widens(values, model):
        weights = (*weights, 1)
    if len(weights) != len(values):
        return False
    return all(
        own in (1, None) or theirs in (own, None)
        for own, theirs in zip(weights, values, strict=True)
    )


def _widens(values: Shape, model: ModelFacts) -> bool:
    return is_keras_2(model) or values[-1] in (1, None)


def _fix(field: Field, values: Shape) -> Fix:
    if not field.shape or set(field.shape) == {1}:
        ones = ", ".join("1" for _ in values)
        return Fix(
            f"One weight for each sample: give fit {field.name}.reshape(-1, {ones})."
            if values
            else f"One weight for each sample: give fit {field.name}.reshape(-1)."
        )
    return Fix(
        f"Give {field.name} the shape {format_batch_shape(values)}, one weight for each loss, or "
        f"{_ones(values)}, one for each sample. Weights for each class belong into class_weight."
    )


def _ones(values: Shape) -> str:
    return format_batch_shape(tuple(1 for _ in values))
