"""The sizes of the batches that `fit` makes or gets."""

from fitguard.checks.data.derived.pipelines import elements_read, last_batch_stage
from fitguard.schema.data import Source, Training


def last_batch_size(source: Source, training: Training) -> int | None:
    """The samples in the last batch of an epoch; None where it is not known, or never comes."""
    if source.split == "training" and _stops_before(source, training):
        return None
    if source.last_batch_size is not None:
        return source.last_batch_size
    pipeline = source.pipeline
    number = None if pipeline is None else last_batch_stage(pipeline)
    if pipeline is None or number is None:
        return None
    stage, samples = pipeline.stages[number], elements_read(pipeline, number)
    if stage.batch_size is None or stage.drop_remainder is None:
        return None
    if stage.drop_remainder:
        return stage.batch_size
    if samples is None or samples < 1:
        return None
    return samples % stage.batch_size or stage.batch_size


def better_size(samples: int, size: int, remainders: range) -> int:
    """The batch size nearest to `size` whose last batch is in `remainders`; `size` without one."""
    for distance in range(1, size):
        for candidate in (size - distance, size + distance):
            if candidate > 1 and (samples % candidate or candidate) in remainders:
                return candidate
    return size


def _stops_before(source: Source, training: Training) -> bool:
    """Whether `steps_per_epoch` ends the whole training before the last batch."""
    steps = training.steps_per_epoch
    if steps is None:
        return False
    return source.batches is not None and steps * training.epochs < source.batches
