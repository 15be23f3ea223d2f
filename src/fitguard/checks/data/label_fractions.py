"""Class numbers are not whole numbers."""

from collections.abc import Iterator

from fitguard.checks.data.derived.label_shapes import shape_fault
from fitguard.checks.data.derived.losses import label_kind
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.wording import among, quote_field, quote_output, spots
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG634", "label-fractions")
def label_fractions(labelled: tuple[Labelled, ...], model: ModelFacts) -> Iterator[Finding]:
    """
    ## What it means
    The loss is a sparse one: each label is the number of a class. Some labels here lie between two
    whole numbers, such as 0.5. They are quantities, probabilities, or classes that were scaled.

    ## Why training crashes
    Nothing is raised. Keras cuts the fraction off: 0.5 trains as class 0, 1.9 as class 1. With
    labels that were divided by 255 nearly every sample becomes class 0.

    ## How to fix it
    If the labels are quantities: a last layer without activation and `loss="mse"`. If they are
    probabilities of one class: one unit, sigmoid, `binary_crossentropy`. If they are classes that
    were scaled: undo the scaling.

    ## When this is wrong
    Fractions that come from rounding only, 1.0000001 for 1, do no harm above the whole number, but
    0.9999999 becomes class 0: round them with `numpy.rint`.

    ## References
    - Keras: `SparseCategoricalCrossentropy`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21 on the CPU
    """
    for item in labelled:
        field, output, loss = item
        if label_kind(loss) != "classes" or field.labels is None:
            continue
        if field.labels.integral is not False or shape_fault(item, model):
            continue
        yield Finding(
            title=f"{field.name} has labels that are no whole numbers, and {loss.name} of "
            f"{output.name} cuts them off to class numbers ({among(field)})",
            evidence=(*_values(field), quote_field(field), quote_output(output)),
            fix=Fix(
                _order(labelled)
                + "If the labels are quantities, compile with loss='mse' and let the last layer "
                "have no activation. If they are class numbers that rounding has touched, give fit "
                f"numpy.rint({field.name}).astype('int64').",
                changes_results=True,
            ),
        )


def _order(labelled: tuple[Labelled, ...]) -> str:
    if len(labelled) < 2:
        return ""
    outputs = ", ".join(repr(item.output.name) for item in labelled)
    return f"See that the parts of y come in the order of the outputs: {outputs}. "


def _values(field: Field) -> tuple[Evidence, ...]:
    if field.fractions.count:
        return spots(field, field.fractions)
    counts = field.labels.counts if field.labels else ()
    odd = [each for each in counts if isinstance(each.value, float) and each.value % 1]
    return tuple(
        Evidence(f"label {each.value:g}, seen {each.count:,} times", field.name) for each in odd[:3]
    )
