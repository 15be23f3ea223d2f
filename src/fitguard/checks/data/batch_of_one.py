"""A batch of one sample goes through BatchNormalization, which then knows no spread."""

from fitguard.checks.data.derived.batch_sizes import better_size, last_batch_size
from fitguard.checks.data.derived.wording import number
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Source, Training
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG661", "batch-of-one")
def batch_of_one(training_source: Source, training: Training, model: ModelFacts) -> Finding | None:
    """
    ## What it means
    BatchNormalization subtracts the mean of the batch. Behind a Dense layer, in a batch of one
    sample, the mean is the sample itself: what comes out is 0, whatever went in.

    ## Why training crashes
    It does not crash, it learns nothing: with batches of one, the weights in front of the layer
    moved by exactly 0.0 in 20 epochs, and the moving variance sank to nearly 0. A last batch of one
    is a step on nonsense in every epoch: it pulls the moving variance down and moves only the
    weights behind the layer.

    ## How to fix it
    Choose a batch size that leaves more than one sample for the last batch, or drop the rest
    (`drop_remainder=True`). If memory allows only batches of one, use LayerNormalization or
    GroupNormalization, which look at single samples.

    ## When this is wrong
    Behind a convolution the layer sees many positions of one image: that is another statistic, but
    no empty one, and this check says nothing.

    ## References
    - Keras: `BatchNormalization`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    if not model.flat_statistics:
        raise Missing("no BatchNormalization is trained on batch and channels alone")
    layer, size = model.flat_statistics[0], training_source.batch_size
    if size == 1:
        title = f"Batches of one sample: {layer} gives 0 for every sample, and nothing is learned"
    elif size is not None and last_batch_size(training_source, training) == 1:
        title = f"The last batch has one sample: {layer} gives 0 for it, and that step is nonsense"
    else:
        return None
    samples = training_source.samples
    total = "" if samples is None else f"{number(samples, 'sample')} in "
    return Finding(
        severity="error" if size == 1 else "warning",
        title=title,
        evidence=(
            Evidence(f"{total}batches of {size}", "training data"),
            Evidence("statistics over the batch", f"model, {', '.join(model.flat_statistics)}"),
        ),
        fix=Fix(_fix(training_source, size), changes_results=True),
    )


def _fix(source: Source, size: int) -> str:
    if size == 1:
        return "Use larger batches, such as batch_size=32, or LayerNormalization."
    if source.kind in {"dataset", "distributed"}:
        return f"Write .batch({size}, drop_remainder=True), or choose another batch size."
    if source.kind == "arrays" and source.samples:
        better = better_size(source.samples, size, range(2, source.samples + 1))
        return f"Give fit batch_size={better}, or one sample less: x[:-1], y[:-1]."
    return "Leave the batch of one out, or choose another batch size."
