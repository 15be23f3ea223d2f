"""The stream yields single samples where fit expects batches."""

from collections.abc import Iterator

from fitguard.checks.data.derived.input_shapes import fits
from fitguard.checks.data.derived.pairs import Fed
from fitguard.checks.data.derived.sources import format_source, opening
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import shape as shown


@check("FG610", "dataset-not-batched", requires={"FG613"})
def dataset_not_batched(data: DataFacts, fed: tuple[Fed, ...] | None = None) -> Iterator[Finding]:
    """
    ## What it means
    `fit` takes each element of a stream for a whole batch: the first axis counts samples. This
    stream yields one sample at a time, so that the first axis of the sample is taken for the batch.
    `batch_size` of `fit` does not help: it is for arrays only.

    ## Why training crashes
    Keras 3 stops with *Expected shape (None, 4), but input has incompatible shape (4,)* or, in a
    convolution, *Negative dimension size caused by subtracting 3 from 1*. Where the shapes happen
    to fit, it trains with batches of one sample, far slower.

    ## How to fix it
    `dataset.batch(32)` before it goes to `fit`. In a generator collect samples and yield arrays
    with a first axis for them, or wrap it: `tf.data.Dataset.from_generator(…).batch(32)`.

    ## When this is wrong
    A model of your own may take single samples; subclassed models are not judged.

    ## References
    - TensorFlow: `tf.data.Dataset.batch`
    - Tried with Keras 3.15 and tf_keras 2.21
    """
    for source in data.sources:
        if data.model.kind == "subclassed" or source.kind == "arrays":
            continue
        if source.batched is False or _one_sample_each(source, fed or ()):
            yield _finding(source, fed or ())


def _one_sample_each(source: Source, fed: tuple[Fed, ...]) -> bool:
    """Whether all elements of a generator have exactly the shape of one sample."""
    if source.kind == "dataset" or not source.batch_shapes or not fed:
        return False
    first = fed[0].input
    if first.shape is None or None in first.shape[1:] or first.shape[1:] in ((), (1,)):
        return False
    whole = set(source.batch_shapes) == {first.shape[1:]}
    return whole and not fits(source.batch_shapes[0][1:], first)


def _finding(source: Source, fed: tuple[Fed, ...]) -> Finding:
    element = source.batch_shapes[0] if source.batched and source.batch_shapes else None
    if element is None and fed:
        element = fed[0].field.shape
    came = "" if element is None else f": elements of shape {shown(element)}"
    wanted = tuple(
        Evidence(
            f"takes batches of shape {shown(item.input.shape)}", f"model, input {item.input.name!r}"
        )
        for item in fed
        if item.input.shape is not None
    )
    how = "Call dataset.batch(32)" if source.kind == "dataset" else "Yield arrays of many samples"
    return Finding(
        title=f"{opening(source)} yields single samples, not batches{came}",
        evidence=(Evidence(f"one sample an element{came}", format_source(source)), *wanted),
        fix=Fix(
            f"{how} before it goes to fit; batch_size of fit has no effect on a stream.",
            changes_results=True,
        ),
    )
