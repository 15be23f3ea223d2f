"""A batch has a size that the model or its replicas cannot take, most often the last one."""

from collections.abc import Iterator

from fitguard.checks.data.derived.batch_sizes import last_batch_size
from fitguard.checks.data.derived.generation import is_keras_2
from fitguard.checks.data.derived.replicas import (
    draws_to_build,
    first_batch_size,
    quote_strategy,
)
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

    With replicas, Keras 3 averages the parts of the *first* batch before it trains, to see their
    shape. If that batch does not divide, every model stops at once: *Inputs to operation AddN …
    must have the same size and shape. Input 0: [8,12,12,3] != input 1: [7,12,12,3]*. Validation
    data whose first batch does not divide do the same after the first epoch. Later batches need not
    divide.

    A last batch with fewer samples than replicas leaves one of them with an empty batch.
    BatchNormalization of Keras 3 makes nan of it, and so of every weight. Convolutions stop on CPUs
    if TensorFlow uses oneDNN, each time with another message: *Incompatible shapes*, *Matrix
    size-incompatible: In[0]: [0,2]*, *Missing 1-th output from … Conv2DBackpropFilter*, or the
    process aborts. Whether it does is decided by the CPU, and by `TF_ENABLE_ONEDNN_OPTS`: the same
    script fails on one machine and trains on another. Dense, recurrent, Embedding and attention
    layers alone train on.

    ## How to fix it
    Drop the rest: `.batch(8, drop_remainder=True)`, or cut the arrays to a multiple of the batch
    size. Give validation data the same batch size (`validation_batch_size`). For replicas, make the
    batch size a multiple of their number.

    ## When this is wrong
    `Input(batch_shape=…)` alone binds nothing in Keras 3.15 and tf_keras 2.21: such a model takes
    any batch, and this check says nothing. tf_keras and Keras before 3.5 take batches that do not
    divide; empty ones fail in their convolutions too. What convolutions make of an empty batch on
    several GPUs was not tried: there this check looks at BatchNormalization only. It does not know
    that SeparableConv2D of Keras 3 gives nan without oneDNN.

    ## References
    - Keras: RNN layers, argument `stateful`; source: `TensorFlowTrainer._maybe_symbolic_build`
    - tensorflow/tensorflow issues 41657, 36224 and 45594: empty batches of replicas
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21; replicas as two and four virtual
      CPUs, not on several GPUs
    """
    if model.batch_bound is None and model.replicas == 1:
        raise Missing("the model takes batches of any size")
    if model.batch_bound is not None:
        bound = model.batch_axis or training_source.batch_size
        for source in data.sources if bound else ():
            found = _against_bound(data, source, bound or 0)
            if found is not None:
                yield found
    else:
        for source in data.sources:
            yield from _against_replicas(data, source)


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
    model, first = data.model, first_batch_size(source)
    if draws_to_build(model) and first is not None and first % model.replicas:
        yield _uneven(model, source, first)
    elif source.split == "training":
        last, fails = last_batch_size(source, data.training), _failure_on_nothing(model)
        if last is not None and last < model.replicas and fails:
            yield Finding(
                title=f"The last batch of {number(last, 'sample')} leaves replicas empty, and "
                f"{fails} an empty batch",
                evidence=(_sizes(source, last), quote_strategy(model)),
                fix=_whole_batches(source, source.batch_size or model.replicas),
            )


def _uneven(model: ModelFacts, source: Source, first: int) -> Finding:
    of = "" if source.split == "training" else " of the validation data"
    if source.samples is not None and source.samples <= first:
        which = "A single batch of"
        whole = first - first % model.replicas
        text = f"Give a multiple of {model.replicas} samples, such as the first {whole}."
    else:
        which = "Batches of"
        argument = "batch_size" if source.split == "training" else "validation_batch_size"
        better = first + -first % model.replicas
        text = f"Use a multiple of {model.replicas}, such as {argument}={better}."
    return Finding(
        title=f"{which} {number(first, 'sample')}{of} cannot be split evenly among "
        f"{model.replicas} replicas",
        evidence=(_sizes(source, first), quote_strategy(model)),
        fix=Fix(text, changes_results=True),
    )


def _failure_on_nothing(model: ModelFacts) -> str:
    """Which layer fails on an empty batch, and how; empty where none is known to."""
    if model.convolutions and model.replica_devices == "CPU" and model.onednn:
        return f"{model.convolutions[0]} fails on"
    if model.batch_statistics and not is_keras_2(model):
        return f"{model.batch_statistics[0]} makes nan of"
    return ""


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
