"""A batch has a size that the model or its replicas cannot take, most often the last one."""

from collections.abc import Iterator

from fitguard.checks.data.derived.batch_sizes import last_batch_size
from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.wording import number
from fitguard.checks.framework.fixtures import Missing
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.model import ModelFacts


@check("FG660", "ragged-last-batch")
def ragged_last_batch(
    data: DataFacts, model: ModelFacts, training_source: Source
) -> Iterator[Finding]:
    """
    ## What it means
    A stateful RNN keeps one state for each place in the batch: it takes batches of one size only. A
    strategy with several replicas gives each an equal part of the batch. Here a batch comes that
    does not suit: its size is another one, or the last batch of the epoch is smaller, because the
    number of samples is no multiple of the batch size.

    ## Why training crashes
    With a stateful RNN the step stops with *Incompatible shapes: [4,4] vs. [8,4]*, and only at the
    end of the first epoch, if it is the last batch. Validation batches do the same after the epoch.
    With two replicas and batches of 7, Keras 3 stops at once: *Inputs to operation AddN … must have
    the same size and shape*. With BatchNormalization and a last batch of fewer samples than
    replicas, one replica gets an empty batch: its mean is nan, and so is every weight afterwards.

    ## How to fix it
    Drop the rest: `.batch(8, drop_remainder=True)`, or cut the arrays to a multiple of the batch
    size. Give validation data the same batch size (`validation_batch_size`). For replicas, make the
    batch size a multiple of their number.

    ## When this is wrong
    `Input(batch_shape=…)` alone binds nothing in Keras 3.15 and tf_keras 2.21: such a model takes
    any batch, and this check says nothing. tf_keras splits uneven batches among replicas.

    ## References
    - Keras: RNN layers, argument `stateful`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21; replicas as two virtual CPUs, not on
      several GPUs
    """
    if model.batch_bound is None and model.replicas == 1:
        raise Missing("the model takes batches of any size")
    if model.batch_bound is not None:
        bound = model.batch_axis or training_source.batch_size
        for source in data.sources if bound else ():
            found = _against_bound(data, source, bound or 0)
            if found is not None:
                yield found
    elif not is_keras_2(model):
        yield from _against_replicas(data, training_source)


def _against_bound(data: DataFacts, source: Source, bound: int) -> Finding | None:
    model, last = data.model, last_batch_size(source, data.training)
    if source.batch_size is not None and source.batch_size != bound:
        which, bad = "Batches", source.batch_size
    elif last is not None and last != bound:
        which, bad = "The last batch", last
    else:
        return None
    verb = "has" if which.startswith("The") else "have"
    return Finding(
        title=f"{which} of the {source.split} data {verb} {number(bad, 'sample')}; "
        f"{model.batch_bound} takes exactly {bound}",
        evidence=(
            _sizes(source, bad),
            Evidence(f"batch size {bound}", f"model, {model.batch_bound}"),
        ),
        fix=_whole_batches(source, bound),
    )


def _against_replicas(data: DataFacts, source: Source) -> Iterator[Finding]:
    model, last = data.model, last_batch_size(source, data.training)
    replicas = Evidence(f"{model.replicas} replicas", "model, distribution strategy")
    if source.batch_size is not None and source.batch_size % model.replicas:
        better = source.batch_size + -source.batch_size % model.replicas
        yield Finding(
            title=f"Batches of {source.batch_size} samples cannot be split evenly among "
            f"{model.replicas} replicas",
            evidence=(_sizes(source, source.batch_size), replicas),
            fix=Fix(
                f"Use a multiple of {model.replicas}, such as batch_size={better}.",
                changes_results=True,
            ),
        )
    elif last is not None and last < model.replicas and model.batch_statistics:
        yield Finding(
            title=f"The last batch of {number(last, 'sample')} leaves replicas empty, and "
            f"{model.batch_statistics[0]} makes nan of an empty batch",
            evidence=(_sizes(source, last), replicas),
            fix=_whole_batches(source, source.batch_size or model.replicas),
        )


def _sizes(source: Source, bad: int) -> Evidence:
    total = "" if source.samples is None else f"{number(source.samples, 'sample')} in "
    return Evidence(
        f"{total}batches of {source.batch_size}, a batch of {bad}", f"{source.split} data"
    )


def _whole_batches(source: Source, size: int) -> Fix:
    if source.kind in {"dataset", "distributed"}:
        text = f"Write .batch({size}, drop_remainder=True) in the {source.split} pipeline."
    elif source.kind == "arrays" and source.samples and source.samples >= size:
        whole = source.samples - source.samples % size
        argument = "batch_size" if source.split == "training" else "validation_batch_size"
        text = (
            f"Give fit {argument}={size} and the first {whole:,} samples: x[:{whole}], y[:{whole}]."
        )
    else:
        text = f"Yield batches of exactly {size} samples, and leave out the rest."
    return Fix(text, changes_results=True)
