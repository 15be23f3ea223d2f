"""Values are so large that the arithmetic of the training overflows, or cannot learn from them."""

from collections.abc import Iterator

from fitguard.checks.data.derived.magnitudes import (
    FLOAT16_MAX,
    FLOAT32_SQUARE_MAX,
    UNSCALED_MAX,
    find_input_limits,
    find_target_limits,
)
from fitguard.checks.data.derived.pairs import Fed, Labelled
from fitguard.checks.data.derived.wording import among, first_at, number, quote_field, spots
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Field
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG642", "huge-values")
def huge_values(
    fed: tuple[Fed, ...] | None = None, labelled: tuple[Labelled, ...] | None = None
) -> Iterator[Finding]:
    """
    ## What it means
    Values of x or y are very large. Three limits count:
    - 65,504 under `mixed_float16`: a layer casts what it gets to float16, and float16 ends there.
    - 1.8e19: the square of a larger number is infinite in float32.
    - 1,000,000 where no layer scales them: a time in seconds, an id, a price, a count of bytes.

    ## Why training crashes
    Above the first two limits values turn to inf and the loss to nan. Under `mixed_float16` the
    loss scaling takes that for a passing overflow and skips the step: the weights stay what they
    were, for every batch with such a value, and nothing is raised. A Rescaling or Normalization
    layer does not help there: it casts before it scales. Above the third limit the loss starts near
    1e12. SGD answers with nan in the first epoch. Adam moves each weight by about the learning rate
    a step, so it would need about a billion steps to reach a label of a million.

    ## How to fix it
    Bring each column near 0 and 1: `(x - x.mean(0)) / x.std(0)` with mean and deviation of the
    training data, or a `Normalization` layer that was adapted to it. Under `mixed_float16` scale
    before `fit`, or give that layer `dtype="float32"`. Quantities that span many orders of
    magnitude (prices, counts): take `numpy.log1p`. Do the same with y, and turn the predictions
    back. An id is no quantity: give it to an Embedding.

    ## When this is wrong
    A layer of your own that scales its input is not recognised by its name; then leave this check
    out (`ignore="FG642"`). The limit of a million is a rule of thumb: with gradient clipping, or a
    last layer whose bias starts near the mean of y, larger labels can be learned. Deep networks can
    grow to them too: on prices up to two million, 100 epochs of Adam gave an R² of 0.87 with five
    Dense layers, and none above 0 with two or three.

    ## References
    - IEEE 754: the largest finite float16 is 65504
    - Keras: mixed precision, `LossScaleOptimizer`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    for field, target in fed or ():
        limits = find_input_limits(target)
        if field.outside.count and not target.tables and field.allowed == limits:
            yield _build_finding(field, limits[1])
    for field, output, _ in labelled or ():
        limits = find_target_limits(output)
        if field.outside.count and limits[1] is not None and field.allowed == limits:
            yield _build_finding(field, limits[1])


def _build_finding(field: Field, limit: float | None) -> Finding:
    largest = max(abs(field.minimum or 0.0), abs(field.maximum or 0.0))
    if limit == FLOAT16_MAX:
        words, remedy = "the model casts them to float16, which ends at 65,504", _before_fit(field)
    elif largest > FLOAT32_SQUARE_MAX:
        words, remedy = "their squares are infinite in float32", _scale(field)
    else:
        words, remedy = (
            f"they are above {UNSCALED_MAX:,.0f}, and nothing scales them",
            _scale(field),
        )
    return Finding(
        severity="warning" if limit == UNSCALED_MAX and largest <= FLOAT32_SQUARE_MAX else "error",
        title=f"{field.name} holds {number(field.outside.count, 'huge value')}"
        f"{first_at(field.outside)} ({among(field)}): {words}",
        evidence=(
            *spots(field, field.outside),
            quote_field(field),
            Evidence(f"largest magnitude {largest:g}, limit {limit:g}", field.name),
        ),
        fix=Fix(remedy, changes_results=True),
    )


def _before_fit(field: Field) -> str:
    return (
        f"Scale {field.name} before fit gets it, for example to mean 0 and deviation 1, or let the "
        "first layer compute in float32: Rescaling(..., dtype='float32')."
    )


def _scale(field: Field) -> str:
    if field.role == "y":
        return (
            f"Train on scaled labels, ({field.name} - mean) / deviation or numpy.log1p"
            f"({field.name}), and turn the predictions back."
        )
    return (
        f"Scale {field.name} to mean 0 and deviation 1, or put a Normalization layer, adapted to "
        "the training data, in front. An id belongs into an Embedding."
    )
