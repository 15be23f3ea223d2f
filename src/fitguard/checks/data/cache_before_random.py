"""A cache stands behind random augmentation: each epoch gets the same augmented samples."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pipelines import (
    SHUFFLES,
    chain,
    downstream,
    format_stage,
    upstream,
)
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Finding, Fix
from fitguard.schema.pipeline import Pipeline, Stage


@check("FG673", "cache-before-random")
def cache_before_random(training_pipeline: Pipeline) -> Iterator[Finding]:
    """
    ## What it means
    `cache` keeps what comes out of the stages before it, and gives it again in every later epoch.
    Here a stage before it draws random numbers: the first draw is kept for good. The same holds for
    a `shuffle` before the cache, with none behind it: the order of the first epoch is kept.

    ## Why training crashes
    It does not. The augmentation does nothing: the model sees the same flipped, turned and cropped
    images again and again, and overfits as if there were no augmentation. With noise in `map` and
    `cache` behind it, the second epoch was equal to the first to the last bit.

    ## How to fix it
    Put the cache before what is random:
    `dataset.map(load).cache().shuffle(n).map(augment).batch(32)`.

    ## When this is wrong
    With one epoch only, nothing is repeated. That the order is kept does little harm where samples
    lie well mixed, and is for information only. A random draw that shall be made once and for all
    (a fixed noise) belongs before the cache; ignore FG673 then.

    ## References
    - TensorFlow: `tf.data.Dataset.cache`; guide "Better performance with the tf.data API"
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    for number, cache in enumerate(training_pipeline.stages):
        if cache.name != "cache":
            continue
        kept = _find_kept_stage(training_pipeline, number)
        if kept is None:
            continue
        stage, harm = kept
        yield Finding(
            severity="warning" if stage.random else "info",
            title=f"{format_stage(cache)} stands behind {format_stage(stage)}: every epoch {harm}",
            evidence=(chain(training_pipeline),),
            fix=Fix(
                "Put the cache before what is random: "
                f".{format_stage(cache)} … .{format_stage(stage)}.",
                changes_results=True,
            ),
        )


def _find_kept_stage(pipeline: Pipeline, cache: int) -> tuple[Stage, str] | None:
    """The stage whose draws a cache keeps, and what that does; None where it keeps none."""
    before = [pipeline.stages[number] for number in upstream(pipeline, cache)]
    later = {pipeline.stages[number].name for number in downstream(pipeline, cache)}
    for stage in before:
        if stage.random:
            return stage, "repeats its random draws"
    for stage in before:
        if stage.name in SHUFFLES and not later & SHUFFLES:
            return stage, "has the same order"
    return None
