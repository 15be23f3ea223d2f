"""Sample weights are negative: training drives the loss of these samples up, without an end."""

from collections.abc import Iterator

from fitguard.checks.data.derived.wording import among, first_at, number, quote_field, spots
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix


@check("FG647", "weight-negative")
def weight_negative(weights: tuple[Field, ...]) -> Iterator[Finding]:
    """
    ## What it means
    A sample weight says how much a sample counts: 0 not at all, 2 as much as two samples. Some
    weights here are negative.

    ## Why training crashes
    Nothing is raised. The loss of a sample with a negative weight is subtracted, so the optimizer
    makes the prediction for it as wrong as it can. There is no end to that: the loss falls below 0
    and goes on falling, the weights of the model grow, and in the end all is inf and nan. A falling
    loss looks like progress meanwhile.

    ## How to fix it
    Look where the weights come from: a difference, a logarithm, a standardised column, -1 for
    *unknown*. Samples that are not to count get the weight 0 or are left out.

    ## When this is wrong
    Some methods need negative weights: simulated events in particle physics, policy gradients. Then
    see that the sum over each batch stays positive, and leave this check out.

    ## References
    - Keras: `fit`, argument `sample_weight`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU: the loss fell below 0 and then was nan
    """
    for field in weights:
        if field.outside.count:
            yield Finding(
                severity="warning",
                title=f"{field.name} holds {number(field.outside.count, 'negative weight')}"
                f"{first_at(field.outside)} ({among(field)})",
                evidence=(*spots(field, field.outside), quote_field(field)),
                fix=Fix(
                    f"The lowest weight is {field.minimum:g}. Give samples that are not to count "
                    f"the weight 0: numpy.maximum({field.name}, 0), if that is what it means.",
                    changes_results=True,
                ),
            )
