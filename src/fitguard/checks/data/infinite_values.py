"""The data holds infinite values, which turn the loss and then every weight into nan."""

from collections.abc import Iterator

from fitguard.checks.data.derived.not_finite import build_finding
from fitguard.checks.data.derived.wording import finding_all, format_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Finding


@check("FG641", "infinite-values")
def infinite_values(seen_fields: tuple[Field, ...]) -> Iterator[Finding]:
    """
    ## What it means
    Some values are inf or -inf. They come from a division by 0, from the logarithm of 0, or from a
    number that was too large for the dtype it was cast to (70000 as float16, 1e39 as float32).

    ## Why training crashes
    Nothing is raised. inf - inf and 0 times inf are nan, and both are computed in every layer and
    in the gradients. The loss is inf or nan at the batch with that value; after this one step the
    weights are nan, and stay so. In the validation data, `val_loss` is inf or nan.

    ## How to fix it
    Fix it where it arises: `numpy.log1p(x)` or `numpy.log(x + 1e-6)` instead of `numpy.log(x)`,
    a divisor that is never 0, float32 instead of float16. A value that stands for *very
    large* can be cut: `numpy.clip(x, low, high)` with limits that mean something.

    ## When this is wrong
    A layer of your own may cut the values before it computes. A mask for attention that is made of
    0 and -inf and goes in as an input is meant so; a large negative number such as -1e9 is safer.

    ## References
    - IEEE 754: inf - inf and 0 × inf give nan
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU, with inf in x, in y and in the weights
    """
    for field in seen_fields:
        if field.infinities.count:
            fix = (
                f"Fix the division, logarithm or cast that made them, or leave these samples of "
                f"{format_field(field)} out.{finding_all(field, 'isinf')}"
            )
            yield build_finding(field, field.infinities, "infinite value", fix)
