"""A tf.data pipeline shuffles whole batches: the samples in each stay together."""

from fitguard.checks.data.derived.order import SORTED_BELOW, Mixing, mixing
from fitguard.checks.data.derived.pairs import Labelled
from fitguard.checks.data.derived.pipelines import (
    BATCHES,
    SHUFFLES,
    chain,
    downstream,
    format_stage,
    only_input,
    upstream,
)
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.pipeline import Pipeline, Stage

# Behind or in front of them, an element is no longer the batch that it was.
_REGROUPING = {"unbatch", "flat_map", "interleave", "window", "group_by_window", "scan", "filter"}
# They may give another order each time by themselves.
_OWN_ORDER = {*SHUFFLES, "from_generator", "list_files", "random", "choose_from_datasets"}


@check("FG671", "shuffle-after-batch")
def shuffle_after_batch(
    training_pipeline: Pipeline, labelled: tuple[Labelled, ...] | None = None
) -> Finding | None:
    """
    ## What it means
    `shuffle` stands behind `batch`: it changes the order of the batches. Which samples stand
    together in a batch is the same in every epoch.

    ## Why training crashes
    It does not, it learns worse. If the data lie sorted by label, each batch holds one class only,
    and every step pulls the model to that class. BatchNormalization sees the statistics of one
    class. Data in a random order lose less, but the noise that new batches give is gone.

    ## How to fix it
    Turn them round: `dataset.shuffle(len(x)).batch(32)`. The buffer then counts samples, not
    batches: make it larger.

    ## When this is wrong
    Where samples lie well mixed, little is lost: it is a warning only where they are seen to lie
    sorted by label. A pipeline that batches for speed, and takes the batches apart later
    (`unbatch`), is left alone, and so is one whose source gives another order each time
    (`list_files`, `from_generator`).

    ## References
    - TensorFlow guide: tf.data, "Randomly shuffling input data"
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    for number, stage in enumerate(training_pipeline.stages):
        if stage.name not in SHUFFLES or not _reaches_fit(training_pipeline, number):
            continue
        batch = _batch_before(training_pipeline, number)
        if batch is not None:
            return _finding(training_pipeline, stage, batch, mixing(labelled or ()))
    return None


def _reaches_fit(pipeline: Pipeline, number: int) -> bool:
    """Whether nothing behind takes the elements apart, or batches them again."""
    later = {pipeline.stages[item].name for item in downstream(pipeline, number)}
    return not later & (_REGROUPING | BATCHES)


def _batch_before(pipeline: Pipeline, number: int) -> Stage | None:
    """The batch that stands before a shuffle, with nothing before it that mixes samples."""
    before = only_input(pipeline, number)
    while before is not None:
        stage = pipeline.stages[before]
        if stage.name in BATCHES and (stage.batch_size or 0) > 1:
            earlier = {pipeline.stages[item].name for item in upstream(pipeline, before)}
            return None if earlier & (_OWN_ORDER | _REGROUPING) else stage
        if stage.name in _OWN_ORDER | _REGROUPING:
            return None
        before = only_input(pipeline, before)
    return None


def _finding(pipeline: Pipeline, shuffle: Stage, batch: Stage, order: Mixing | None) -> Finding:
    buffer = (shuffle.buffer_size or 1) * (batch.batch_size or 1)
    in_order = order is not None and order.share < SORTED_BELOW
    return Finding(
        severity="warning" if in_order else "info",
        title=f"{format_stage(shuffle)} stands behind {format_stage(batch)}: the same "
        f"{batch.batch_size} samples form a batch in every epoch",
        evidence=(chain(pipeline),),
        fix=Fix(
            f"Shuffle before batching: .shuffle({buffer}).{format_stage(batch)}. The buffer then "
            "counts samples.",
            changes_results=True,
        ),
    )
