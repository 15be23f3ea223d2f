"""A cache in memory will not fit there."""

from collections.abc import Iterator

from fitguard.checks.data.derived.memory import FreeMemory
from fitguard.checks.data.derived.pipelines import Piped, chain, only_input, total_bytes
from fitguard.checks.framework.registry import check
from fitguard.schema.data import Training
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.pipeline import Pipeline
from fitguard.words import size


@check("FG674", "cache-too-big")
def cache_too_big(
    piped: tuple[Piped, ...], training: Training, free_memory: FreeMemory
) -> Iterator[Finding]:
    """
    ## What it means
    `cache()` without a file name keeps every element in host memory. All elements together are
    larger than the memory that is free in the machine, or under the limit of the container or job.
    A cache behind an endless `repeat()` is worse: it never has everything, and keeps each element
    anew.

    ## Why training crashes
    Memory fills during the first epoch; then the kernel ends the process without a word (*Killed*,
    exit code 137, *OOMKilled*). Behind `map` and `repeat()`, 300 elements of 1 MiB read from a
    cache made the process 302 MiB larger, though they were one and the same element; with the cache
    before `repeat()` it did not grow.

    ## How to fix it
    Cache in a file: `cache("/fast/disk/name")`. Or cache what is smaller: the encoded images before
    decoding, uint8 instead of float32. Or leave the cache out. Put `cache()` before `repeat()`.

    ## When this is wrong
    The size is computed from shapes and counts. Memory that other programs free later is not
    counted. With fewer steps than elements, less is cached.

    ## References
    - TensorFlow: `tf.data.Dataset.cache`
    - Tried with TensorFlow 2.21 on the CPU; the kill was not provoked here
    """
    for source, pipeline in piped:
        for number, stage in enumerate(pipeline.stages):
            if stage.name == "cache" and stage.filename == "":
                found = _judge_cache(source.split, pipeline, number, training, free_memory)
                if found is not None:
                    yield found


def _judge_cache(
    split: str, pipeline: Pipeline, number: int, training: Training, memory: FreeMemory
) -> Finding | None:
    read = only_input(pipeline, number)
    if read is None:
        return None
    if pipeline.stages[read].elements == -1:
        return _endless(split, pipeline, read, training, memory)
    needed_bytes = total_bytes(pipeline, read)
    severity = None if needed_bytes is None else memory.severity_of(needed_bytes)
    if needed_bytes is None or severity is None:
        return None
    evidence = f"all elements before cache(): {size(needed_bytes)}"
    return Finding(
        severity=severity,
        title=f"The cache of the {split} pipeline needs {size(needed_bytes)}, and "
        f"{size(memory.free_bytes)} of memory are free",
        evidence=(Evidence(evidence, f"{split} data"), chain(pipeline, split), memory.evidence),
        fix=Fix('Cache in a file: .cache("/fast/disk/name"), or leave the cache out.'),
    )


def _endless(
    split: str, pipeline: Pipeline, read: int, training: Training, memory: FreeMemory
) -> Finding | None:
    """A cache that never has everything: it grows with each step, as long as training runs."""
    steps, stage = training.steps_per_epoch, pipeline.stages[read]
    if split == "validation" or not steps or stage.element_bytes is None:
        needed = ""
    else:
        needed_bytes = stage.element_bytes * steps * training.epochs
        if memory.severity_of(needed_bytes) is None:
            return None
        needed = f": {size(needed_bytes)} in {training.epochs} epochs"
    return Finding(
        title=f"The cache of the {split} pipeline stands behind an endless repeat() and only "
        f"grows{needed}",
        evidence=(chain(pipeline, split), memory.evidence),
        fix=Fix("Put the cache before the repetition: .cache().repeat()."),
    )
