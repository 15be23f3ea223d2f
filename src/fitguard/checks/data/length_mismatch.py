"""x, y and sample_weight have different numbers of samples."""

from collections.abc import Iterator

from fitguard.checks.data.derived.feeding import feeding
from fitguard.checks.data.derived.sources import format_source, sources_by_split
from fitguard.checks.data.derived.wording import format_field, quote_field
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Failure, Field, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import count

_SCATTERED = ("Sparse", "Ragged", "scipy")


@check("FG609", "length-mismatch", requires={"FG610", "FG613"})
def length_mismatch(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    The first axis counts the samples. All arrays of x, y and sample_weight must have the same
    number: sample 5 of x belongs to sample 5 of y. Here they differ, so that somewhere rows were
    lost or added on one side only, and all rows behind that place are wrongly paired.

    ## Why training crashes
    Arrays: Keras stops with *Data cardinality is ambiguous. Make sure all arrays contain the same
    number of samples*. A generator whose batches differ: *Incompatible shapes: [8,1] vs. [3,1]* in
    the loss. With some shapes the loss broadcasts, and the training goes on with wrong pairs.

    ## How to fix it
    Find the step that changed one side: rows with gaps dropped from x only, a shuffle or a split
    made twice, a file that was read in part. Repeat it for both. Do not cut the longer array to the
    length of the shorter one: the pairs would stay wrong.

    ## When this is wrong
    Streams are judged by what was read of them. Sparse and ragged arrays of a stream are left out,
    and so is a stream for a model with a `train_step` of its own, which may take batches of
    different sizes side by side (labelled and unlabelled images).

    ## References
    - Keras: `Model.fit`, arguments `x`, `y`, `sample_weight`
    - Tried with Keras 3.15 and tf_keras 2.21, arrays and generators
    """
    if feeding(data).refused:
        raise Missing("the parts of x are not those of the inputs: FG604")
    for split, source in sources_by_split(data).items():
        if source.kind != "arrays" and data.model.custom_batches:
            continue
        if source.uneven is not None:
            yield _in_batch(source, source.uneven)
            continue
        counted = [
            (field, number)
            for field in data.fields
            if field.split == split and (number := _samples(field, source)) is not None
        ]
        if len({number for _, number in counted}) > 1:
            yield _finding(counted, source)


def _samples(field: Field, source: Source) -> int | None:
    if source.kind == "arrays":
        return field.samples
    if any(word in field.container for word in _SCATTERED):
        return None
    return field.samples_seen or None


def _in_batch(source: Source, uneven: Failure) -> Finding:
    return Finding(
        title=f"The numbers of samples in batch {uneven.batch:,} of {format_source(source)} "
        f"differ: {uneven.error}",
        evidence=(Evidence(uneven.error, f"{format_source(source)}, batch {uneven.batch:,}"),),
        fix=Fix(
            f"Find why one part of batch {uneven.batch:,} is shorter than the other; cutting the "
            "longer one would pair wrong samples.",
            changes_results=True,
        ),
    )


def _finding(counted: list[tuple[Field, int]], source: Source) -> Finding:
    parts = ", ".join(f"{format_field(field)} has {number:,}" for field, number in counted)
    seen = (
        "" if source.kind == "arrays" else f" in {count(source.batches_seen, 'batch', 'batches')}"
    )
    return Finding(
        title=f"The numbers of samples{seen} differ: {parts}",
        evidence=tuple(quote_field(field) for field, _ in counted),
        fix=Fix(
            "Find where one of them lost or gained rows, and do the same to the others; cutting "
            "the longer one would pair wrong samples.",
            changes_results=True,
        ),
    )
