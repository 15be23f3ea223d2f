"""The data has no batch at all, or fewer than fit is told to take."""

from collections.abc import Iterator

from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.sources import format_source
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source, Training
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import count


@check("FG611", "stream-too-short", requires={"FG612", "FG613"})
def stream_too_short(data: DataFacts, training: Training) -> Iterator[Finding]:
    """
    ## What it means
    The stream is empty, or it ends before `fit` has made `steps_per_epoch` × `epochs` steps. A
    generator can be read only once: after its end the next epochs have nothing to read. A dataset
    is empty where `drop_remainder=True` meets fewer samples than a batch, or a filter lets nothing
    pass.

    ## Why training crashes
    An empty dataset: Keras 3 trains nothing and says *Your input ran out of data*, which is easily
    missed; tf_keras stops with *Expected input data to be non-empty*. A generator that ends: Keras
    3 goes on with its first two batches again and again, as it keeps those from its look ahead;
    tf_keras stops. A dataset with `steps_per_epoch`: Keras 3 goes on where the last epoch stopped,
    and the epoch that meets the end is cut short; tf_keras ends the training there.

    ## How to fix it
    Leave `steps_per_epoch` away: the end of the data is then the end of the epoch. Or call
    `dataset.repeat()` and keep it. Make a generator endless (`while True:`) and give
    `steps_per_epoch`, or use a `keras.utils.PyDataset`, which starts anew with each epoch.

    ## When this is wrong
    To cut epochs short on purpose is fine where each sample is seen often enough.

    ## References
    - Keras: `Model.fit`, argument `steps_per_epoch`
    - Tried with Keras 3.15 and tf_keras 2.21, steps counted for arrays, datasets, PyDataset and
      generators
    """
    keras_2 = is_keras_2(data.model)
    for source in data.sources:
        if _empty(source):
            yield _nothing(source)
        elif source.split == "training" and source.handed_back:
            yield from _judge_one_pass(source, training, keras_2)
        elif source.split == "training":
            yield from _judge_repeated_passes(source, training, keras_2)


def _empty(source: Source) -> bool:
    return (
        source.batches == 0
        or source.samples == 0
        or (source.complete and source.batches_seen == 0 and source.kind != "arrays")
    )


def _nothing(source: Source) -> Finding:
    training = source.split == "training"
    return Finding(
        severity="error" if training else "warning",
        title=f"There is no batch in {format_source(source)}",
        evidence=(Evidence(_format_counts(source), format_source(source)),),
        fix=Fix(
            "Look for a filter that lets nothing pass, a wrong path, or drop_remainder=True with "
            "fewer samples than a batch."
        ),
    )


def _judge_one_pass(source: Source, training: Training, keras_2: bool) -> Iterator[Finding]:
    """A generator that was read to its end."""
    steps = training.steps_per_epoch
    have = source.batches_seen
    if not source.complete or (steps is None and training.epochs == 1):
        return
    if steps is not None and have >= steps * training.epochs:
        return
    asked = f"{training.epochs} epochs" if steps is None else _format_asked_steps(training, steps)
    then = "training stops there" if keras_2 else "later epochs get its first two batches at most"
    yield Finding(
        title=f"The {source.container} ends after {count(have, 'batch', 'batches')}, fit is to "
        f"make {asked}: {then}",
        evidence=_evidence(source, training),
        fix=Fix(
            "Make the generator endless (while True: around its loop) and give "
            f"steps_per_epoch={have if steps is None else steps}; or use a keras.utils.PyDataset.",
            changes_results=True,
        ),
    )


def _judge_repeated_passes(source: Source, training: Training, keras_2: bool) -> Iterator[Finding]:
    """A source that begins again with the next epoch, but is asked for a number of steps."""
    steps, have = training.steps_per_epoch, source.batches
    if not steps or not have or source.endless or steps * training.epochs <= have:
        return
    if not _is_cut_short(source, steps, have, keras_2):
        return
    then = "training stops early" if keras_2 else "epochs are cut short"
    yield Finding(
        severity="error" if keras_2 else "warning",
        title=f"{have:,} batches in {format_source(source)}, fit is to make "
        f"{_format_asked_steps(training, steps)}: {then}",
        evidence=_evidence(source, training),
        fix=Fix(
            f"Leave steps_per_epoch out, so that each epoch takes all {have:,} batches"
            f"{'; or call .repeat() on the dataset' if source.kind == 'dataset' else ''}.",
            changes_results=True,
        ),
    )


def _is_cut_short(source: Source, steps: int, have: int, keras_2: bool) -> bool:
    """As it was counted: Keras 3 goes on where the last epoch stopped, tf_keras only in tf.data."""
    if not keras_2:
        return have % steps != 0
    return steps != have if source.kind in ("dataset", "distributed") else steps > have


def _format_asked_steps(training: Training, steps: int) -> str:
    return f"{steps:,} steps in each of {count(training.epochs, 'epoch')}"


def _format_counts(source: Source) -> str:
    if source.samples is not None:
        return (
            f"{count(source.samples, 'sample')} in {count(source.batches or 0, 'batch', 'batches')}"
        )
    return count(source.batches or 0, "batch", "batches")


def _evidence(source: Source, training: Training) -> tuple[Evidence, ...]:
    steps = training.steps_per_epoch
    asked = f"epochs={training.epochs}" + ("" if steps is None else f", steps_per_epoch={steps}")
    return Evidence(_format_counts(source), format_source(source)), Evidence(asked, "fit")
