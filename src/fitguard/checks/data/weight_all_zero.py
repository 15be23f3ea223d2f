"""All sample weights are 0: the loss is 0, the gradients are 0, and nothing is learned."""

from collections.abc import Iterator

from fitguard.checks.data.derived.wording import among, quote_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding, Fix


@check("FG648", "weight-all-zero")
def weight_all_zero(weights: tuple[Field, ...]) -> Iterator[Finding]:
    """
    ## What it means
    A sample with the weight 0 does not count. Here every weight that was read is 0.

    ## Why training crashes
    Nothing is raised. The loss is exactly 0 from the first step, and the gradients are 0: after all
    epochs the weights of the model are, to the bit, those it began with. (With weight decay they
    only shrink.) The loss of 0 looks like a success.

    ## How to fix it
    Look where the weights come from. Integers are a common reason: `1 // count` is 0, and so is
    `(count / total).astype(int)`. So is a mask that is the wrong way round.

    ## When this is wrong
    A model with several outputs may switch one of them off with the weight 0. A loss that is added
    in a layer (`add_loss`) is not weighted, and still trains.

    ## References
    - Keras: `fit`, argument `sample_weight`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU: the weights stayed the same, bit for bit
    """
    for field in weights:
        if not field.samples_seen or field.minimum != 0 or field.maximum != 0:
            continue
        whole = field.samples is not None and field.samples_seen >= field.samples
        if not field.nans.count and not field.infinities.count:
            yield Finding(
                severity="error" if whole and len(weights) == 1 else "warning",
                title=f"{field.name} is 0 everywhere ({among(field)}): nothing can be learned",
                evidence=(quote_field(field),),
                fix=Fix(
                    f"Give {field.name} weights above 0 for the samples that are to count, or call "
                    "fit without sample_weight.",
                    changes_results=True,
                ),
            )
