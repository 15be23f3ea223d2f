"""Nothing fetches the next batch while the model trains on the current one."""

from fitguard.checks.data.derived.pipelines import chain, only_input
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts
from fitguard.schema.pipeline import Pipeline

_TRANSPARENT = {"with_options", "repeat", "take", "assert_cardinality"}
# Stages that work only when they are asked, unless they are parallel.
_ON_DEMAND = {"map", "batch", "padded_batch", "cache", "shuffle"}


@check("FG675", "no-prefetch")
def no_prefetch(
    training_pipeline: Pipeline, training_source: Source, model: ModelFacts
) -> Finding | None:
    """
    ## What it means
    The pipeline makes a batch only when the model asks for it: the GPU waits for the data, then the
    data wait for the GPU. Usually TensorFlow adds a `prefetch` at the end by itself (since 2022);
    here the options of the pipeline switch that off, and no `prefetch` is written.

    ## Why training crashes
    It does not, it is slow: a step takes the time of the data plus the time of the model, instead
    of the longer of the two. With 10 ms for each, 60 steps took 1.29 s without and 0.67 s with
    `prefetch`.

    ## How to fix it
    End the pipeline with `.prefetch(tf.data.AUTOTUNE)`, or with `.prefetch(2)` where memory is
    short.

    ## When this is wrong
    If the data are ready in no time (small arrays in memory), there is nothing to gain. With the
    usual options this check says nothing, because TensorFlow's own prefetch was as quick as a
    written one (0.67 s both). It also says nothing of a parallel `map`, and of a `map` with `batch`
    behind it, which TensorFlow turns into one stage: both work ahead.

    ## References
    - TensorFlow guide: "Better performance with the tf.data API", prefetching
    - TensorFlow: `tf.data.experimental.OptimizationOptions`, `inject_prefetch`
    - Tried with TensorFlow 2.21 on the CPU
    """
    if training_pipeline.prefetch_added is None:
        raise Missing("whether TensorFlow adds a prefetch is not known")
    if training_pipeline.prefetch_added or _is_fetched_ahead(training_source, model):
        return None
    if not _on_demand(training_pipeline):
        return None
    return Finding(
        severity="info",
        title="The training pipeline has no prefetch, and its options keep TensorFlow from adding "
        "one",
        evidence=(
            chain(training_pipeline),
            Evidence("autotuning or inject_prefetch is off", "options of the pipeline"),
        ),
        fix=Fix("End the pipeline with .prefetch(tf.data.AUTOTUNE)."),
    )


def _on_demand(pipeline: Pipeline) -> bool:
    """Whether the last stage makes a batch only when it is asked for one."""
    last: int | None = len(pipeline.stages) - 1
    while last is not None and pipeline.stages[last].name in _TRANSPARENT:
        last = only_input(pipeline, last)
    if last is None or pipeline.stages[last].name not in _ON_DEMAND:
        return False
    before = only_input(pipeline, last)
    fused = (
        pipeline.default_optimizations is not False
        and pipeline.stages[last].name == "batch"
        and before is not None
        and pipeline.stages[before].name == "map"
    )
    return not fused and not pipeline.stages[last].parallel


def _is_fetched_ahead(source: Source, model: ModelFacts) -> bool:
    """Whether a strategy fetches batches for its devices ahead."""
    return source.kind == "distributed" or model.replicas > 1
