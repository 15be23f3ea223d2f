"""Reading the data raised an error."""

from collections.abc import Iterator

from fitguard.checks.data.derived.sources import format_source
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Failure, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import short

_LONGEST_TITLE = 120
_REMEDIES = {
    "Cannot batch tensors with different shapes": "The samples differ in shape: bring them to one "
    "in a map, or write padded_batch(n) instead of batch(n), which fills them up with zeros.",
    "is required but could not be found": "The records have no feature of that name: read one with "
    "tf.train.Example.FromString to see the names, and write the right one into the feature "
    "description.",
    "Data types don't match": "The feature description gives this feature another dtype than the "
    "records have.",
    "its length": "Let __len__ return a whole number: math.ceil(samples / batch_size).",
}


@check("FG612", "stream-fails")
def stream_fails(data: DataFacts) -> Iterator[Finding]:
    """
    ## What it means
    The stream was read as `fit` would read it, and it raised an error at the batch that is named:
    a bad record, a missing file, a bug in a function of the pipeline.

    ## Why training crashes
    `fit` meets the same error at the same place. From a generator it comes as *UnknownError: Graph
    execution error … PyFunc* with the real error in the middle; from `tf.data` as
    *InvalidArgumentError … Error in user-defined function passed to MapDataset*. If the bad record
    comes late, all steps before it are lost unless they were saved. In validation data it comes
    after the first epoch.

    ## How to fix it
    Fix or leave out the record. To find it, read the stream alone: `for batch in dataset: pass`
    raises at once. `dataset.ignore_errors()` leaves out bad records without a word; count them.

    ## When this is wrong
    An error that comes and goes (a network file system, a file that was still being written) may
    not come again.

    ## References
    - TensorFlow: `tf.data.Dataset.ignore_errors`
    - Tried with Keras 3.15 and tf_keras 2.21: a generator and a dataset that raise at batch 2
    """
    for source in data.sources:
        if source.failure is not None:
            yield _finding(source, source.failure)


def _remedy(failure: Failure) -> str:
    for words, remedy in _REMEDIES.items():
        if words in failure.error:
            return remedy
    return (
        f"Fix or leave out what batch {failure.batch:,} is made of; read the stream alone to see "
        "the whole error."
    )


def _finding(source: Source, failure: Failure) -> Finding:
    return Finding(
        title=f"Batch {failure.batch:,} of {format_source(source)} cannot be read: "
        f"{short(failure.error, _LONGEST_TITLE)}",
        evidence=(Evidence(failure.error, f"{format_source(source)}, batch {failure.batch:,}"),),
        fix=Fix(_remedy(failure), changes_results=True),
    )
