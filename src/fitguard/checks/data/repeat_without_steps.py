"""The data never end, and nobody says how many steps an epoch has."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pipelines import chain, elements_read, last_batch_stage
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Source, Training
from fitguard.schema.finding import Evidence, Finding, Fix


@check("FG676", "repeat-without-steps")
def repeat_without_steps(data: DataFacts, training: Training) -> Iterator[Finding]:
    """
    ## What it means
    `repeat()` without a number, or a PyDataset whose `num_batches` is None, gives batches forever.
    `fit` ends an epoch when the data end, unless `steps_per_epoch` says when.

    ## Why training crashes
    The first epoch never ends: no validation, no checkpoint at the end of the epoch, no learning
    rate schedule by epochs, no history. It looks like a training that is just slow. Keras 3.15 ran
    on after 25 times the data without a word; tf_keras 2.21 refuses: *When providing an infinite
    dataset, you must specify the number of steps to run*. Endless validation data hang after the
    first epoch.

    ## How to fix it
    Leave `repeat()` out: `fit` starts the data anew in each epoch. Or give `steps_per_epoch` (and
    `validation_steps`).

    ## When this is wrong
    With a callback that ends the training by itself (`model.stop_training`, a time limit) one
    endless epoch can be wanted.

    ## References
    - Keras: `Model.fit`, arguments `steps_per_epoch` and `validation_steps`
    - Tried with TensorFlow 2.21, Keras 3.15 and tf_keras 2.21
    """
    for source in data.sources:
        argument, given = (
            ("steps_per_epoch", training.steps_per_epoch)
            if source.split == "training"
            else ("validation_steps", training.validation_steps)
        )
        if not source.endless or given is not None:
            continue
        told = (
            (chain(source.pipeline, source.split),)
            if source.pipeline is not None
            else (Evidence(f"{source.container} without an end", f"{source.split} data"),)
        )
        yield Finding(
            title=f"The {source.split} data never end, and {argument} is not given: "
            f"{'the first epoch' if source.split == 'training' else 'the validation'} never ends",
            evidence=told,
            fix=Fix(_fix(source, argument)),
        )


def _fix(source: Source, argument: str) -> str:
    steps = _steps(source)
    amount = "=…" if steps is None else f"={steps}"
    if source.pipeline is None:
        return f"Give fit {argument}{amount}."
    return f"Leave repeat() out, or give fit {argument}{amount}."


def _steps(source: Source) -> int | None:
    """The batches of one round through the data before the repetition; None where unknown."""
    pipeline = source.pipeline
    if pipeline is None:
        return None
    for number, stage in enumerate(pipeline.stages):
        if stage.name != "repeat" or stage.count != -1:
            continue
        once, batch = elements_read(pipeline, number), last_batch_stage(pipeline)
        if once is None or once < 1 or batch is None:
            return None
        if batch < number:
            return once
        return -(-once // (pipeline.stages[batch].batch_size or 1))
    return None
