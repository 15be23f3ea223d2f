"""Nearly all samples are of one class."""

from collections.abc import Iterator

from fitguard.checks.data.derived.outputs import classes_of
from fitguard.checks.data.derived.pairs import Labelled, training_fields
from fitguard.checks.data.derived.wording import among, format_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts
from fitguard.schema.finding import Evidence, Finding, Fix

_SHARE = 0.9
_FEWEST = 100
# Made for rare classes.
_FOR_RARE = frozenset(
    ("binary_focal_crossentropy", "categorical_focal_crossentropy", "dice", "tversky")
)


@check("FG630", "class-imbalance")
def class_imbalance(labelled: tuple[Labelled, ...], data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    One class has 90 % of the samples or more. A model that always answers with it has that accuracy
    without having learned anything.

    ## Why training crashes
    It does not. But the loss can settle at the answer that is right most of the time, and the
    accuracy looks good while the rare classes are never found.

    ## How to fix it
    Judge by precision, recall or the area under the curve of the rare class, not by accuracy. Give
    rare classes weight: `fit(..., class_weight={0: 1.0, 1: 20.0})`, or draw them more often. With a
    sigmoid output, start the last bias at `log(positives / negatives)`.

    ## When this is wrong
    Where the share is what the model will meet, and accuracy is not what counts, nothing is wrong.
    It is for information only. Where `class_weight` or `sample_weight` are given, or a loss that is
    made for rare classes (focal, dice), nothing is said, nor on fewer than 100 samples.

    ## References
    - TensorFlow: tutorial *Classification on imbalanced data*
    - That training settles at the frequent class was tried with TensorFlow 2.21 and Keras 3.15
    """
    if data.training.class_weight or training_fields(data, "sample_weight"):
        return
    for item in labelled:
        field, counts = item.field, classes_of(item)
        if len(counts) < 2 or field.samples_seen < _FEWEST or item.loss.name in _FOR_RARE:
            continue
        most, share = counts[0], counts[0].count / field.samples_seen
        if share < _SHARE:
            continue
        rarest = min(counts, key=lambda each: each.count)
        yield Finding(
            severity="info",
            title=f"Class {_format_label(most.value)} has {_percent(share)} of the labels in "
            f"{field.name}: always to answer so looks like success",
            evidence=(
                Evidence(
                    f"class {_format_label(most.value)}: {most.count:,} {among(field)}",
                    format_field(field),
                ),
                Evidence(
                    f"class {_format_label(rarest.value)}: {rarest.count:,}", format_field(field)
                ),
            ),
            fix=Fix(
                "Watch precision and recall, not accuracy. To give rare classes weight, call fit "
                f"with class_weight={_weights(item)}.",
                changes_results=True,
            ),
        )


def _weights(item: Labelled) -> str:
    """Weights that make all classes count the same, for a few classes."""
    counts = classes_of(item)
    if len(counts) > 5:
        return "{class: samples / (classes * samples of the class)}"
    total = sum(each.count for each in counts)
    shown = (
        f"{_format_label(each.value)}: {total / len(counts) / each.count:.3g}"
        for each in sorted(counts, key=lambda each: each.value)
    )
    return f"{{{', '.join(shown)}}}"


def _percent(share: float) -> str:
    return f"{int(share * 1000) / 10:g} %"


def _format_label(value: float | str) -> str:
    return f"{value:g}" if isinstance(value, float | int) else repr(value)
