"""Samples of the validation data are among the training data too."""

from fitguard.checks.data.derived.wording import number
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field, Overlap
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import percent

# Real collections hold some samples twice: reviews of films, newswires, plain images.
_FEWEST, _SHARE = 5, 0.1
# Rows of few whole numbers are equal by chance.
_NUMBERS_FOR_INTEGERS = 16


@check("FG664", "validation-overlap")
def validation_overlap(data: DataFacts) -> Finding | None:
    """
    ## What it means
    At least a tenth of the validation samples that were compared have exactly the same values as a
    sample of the training data.

    ## Why training crashes
    It does not. The model is examined with what it learned by heart: `val_accuracy` is too good,
    and no sign of overfitting shows. With labels drawn by lot, which nobody can predict, a small
    model got every overlapping sample right, and half of the samples that it had not seen.
    EarlyStopping and the choice of the best checkpoint then keep the model that remembers most.

    ## How to fix it
    Take doubles out before the split, and split once. Oversample and augment after the split, in
    the training part only. Give `validation_split` or `validation_data`, not slices that overlap.

    ## When this is wrong
    Tables of few categories have equal rows by chance. Windows over a quiet signal can be equal
    too. A run that shall only show that the model *can* learn by heart may validate on its own
    training data.

    ## References
    - scikit-learn user guide: common pitfalls, data leakage
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    overlap = data.overlap
    if overlap is None or not overlap.compared:
        raise Missing("validation and training samples were not compared")
    if any(source.batches == 0 for source in data.sources):
        raise Missing("a split has no batch at all: FG611")
    found = overlap.found.count
    if found < _FEWEST or found < _SHARE * overlap.compared or _by_chance(data.fields, overlap):
        return None
    everything = found == overlap.compared
    compared = number(overlap.compared, "validation sample")
    among = number(overlap.among, "training sample")
    share = "All" if everything else f"{found:,} ({percent(found, overlap.compared)}) of the"
    return Finding(
        severity="warning",
        confidence="high" if everything else "medium",
        title=f"{share} {compared} compared are among the training data too",
        evidence=(
            *(
                Evidence(
                    f"sample {place.sample:,} is training sample {place.value}", "validation x"
                )
                for place in overlap.found.places
            ),
            Evidence(f"{compared} compared with {among}", "training x"),
        ),
        fix=Fix(
            "Take the validation samples out of the training data, or split once, before anything "
            "is copied or augmented.",
            changes_results=True,
        ),
    )


def _by_chance(fields: tuple[Field, ...], overlap: Overlap) -> bool:
    """Whether rows are so short that equal ones mean little."""
    if overlap.whole:
        return True
    inputs = [field for field in fields if (field.split, field.role) == ("validation", "x")]
    if any(field.dtype.startswith(("float", "bfloat")) for field in inputs):
        return False
    return sum(_numbers(field) for field in inputs) < _NUMBERS_FOR_INTEGERS


def _numbers(field: Field) -> int:
    product = 1
    for axis in field.shape:
        product *= axis or _NUMBERS_FOR_INTEGERS
    return product
