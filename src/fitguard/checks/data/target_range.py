"""Labels of a regression lie where the last activation, or the loss, cannot go."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import among, quote_field, quote_output
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix, Severity
from fitguard.schema.model import ModelFacts
from fitguard.words import number

_GIVES = {"sigmoid": (0.0, 1.0), "softmax": (0.0, 1.0), "tanh": (-1.0, 1.0), "relu": (0.0, None)}
# Rounding, and labels that were smoothed or scaled by figures of other data.
_TOLERANCE = 0.05
_DIVIDES = "mean_absolute_percentage_error"
_FROM_ZERO_ON = ("poisson", "mean_squared_logarithmic_error")


@check("FG635", "target-range", requires={"FG632"})
def target_range(labelled: tuple[Labelled, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    The labels are quantities. The last activation gives numbers of a certain range only: sigmoid
    and softmax 0 to 1, tanh -1 to 1, relu nothing below 0. Or the loss reads a certain range only:
    `poisson` and `mean_squared_logarithmic_error` nothing below 0. Some labels lie outside.

    ## Why training crashes
    It does not, it cannot learn. The output gets as near to such a label as it can and stays there:
    a sigmoid gives 1 for every label above. The loss stops at a high value, and the gradient is
    gone. `mean_squared_logarithmic_error` takes every negative label for 0, and `poisson` has no
    lowest value for one: it falls without end. `mean_absolute_percentage_error` divides by the
    label: one that is 0 counts 10,000,000 times as much as others.

    ## How to fix it
    Take the activation out of the last layer: quantities need none. Or bring the labels into its
    range, images to 0 … 1 by `/ 255`. For labels below 0: `loss="mse"`.

    ## When this is wrong
    Where labels beyond the range are to be cut off on purpose. Labels that pass it by less than 5 %
    are not reported.

    ## References
    - Keras: activations, losses
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in labelled:
        if label_kind(item.loss) != "values" or shape_fault(item, model):
            continue
        if item.field.minimum is None or item.field.maximum is None:
            continue
        finding = _beyond_activation(item) or _beyond_loss(item)
        if finding is not None:
            yield finding


def _beyond_activation(item: Labelled) -> Finding | None:
    field, output, loss = item
    if output.activation not in _GIVES or loss.name == "cosine_similarity":
        return None
    lowest, highest = _GIVES[output.activation]
    below = field.minimum is not None and field.minimum < lowest - _TOLERANCE
    above = highest is not None and (field.maximum or 0) > highest + _TOLERANCE
    if not below and not above:
        return None
    reach = (
        "no number below 0" if highest is None else f"{number(lowest)} to {number(highest)} only"
    )
    return _finding(
        item,
        f"the {output.activation} of {output.name} gives {reach}",
        f"Take the activation out of {output.layer or output.name}, or scale {field.name} into "
        "its range.",
        "error" if above else "warning",
    )


def _beyond_loss(item: Labelled) -> Finding | None:
    if item.loss.name == _DIVIDES and item.field.minimum == 0:
        return _finding(
            item,
            f"{item.loss.name} of {item.output.name} divides by the label",
            "Compile with loss='mae', or leave the samples with the label 0 out.",
            "warning",
        )
    if item.loss.name not in _FROM_ZERO_ON or (item.field.minimum or 0) >= 0:
        return None
    return _finding(
        item,
        f"{item.loss.name} of {item.output.name} reads no number below 0",
        "Compile with loss='mse', or shift the labels to 0 and above.",
        "error",
    )


def _finding(item: Labelled, why: str, remedy: str, severity: Severity) -> Finding:
    field = item.field
    return Finding(
        severity=severity,
        title=f"{field.name} runs {_range(field)}, but {why} ({among(field)})",
        evidence=(quote_field(field), quote_output(item.output)),
        fix=Fix(remedy, changes_results=True),
    )


def _range(field: Field) -> str:
    return f"from {number(field.minimum or 0.0)} to {number(field.maximum or 0.0)}"
