"""The copies that `fit` makes of arrays, or the buffers of a shuffle, do not fit in memory."""

from collections.abc import Iterator

from fitguard.checks.data.derived.memory import FreeMemory
from fitguard.checks.data.derived.pipelines import SHUFFLES, Piped, elements_read, format_stage
from fitguard.checks.data.derived.wording import format_field
from fitguard.checks.framework.registry import check
from fitguard.schema.data import DataFacts, Field
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.words import size


@check("FG678", "data-larger-than-memory")
def data_larger_than_memory(
    data: DataFacts, free_memory: FreeMemory, piped: tuple[Piped, ...] | None = None
) -> Iterator[Finding]:
    """
    ## What it means
    `fit` does not train on arrays where they lie: it first makes tensors of them, one copy of the
    whole (float64 becomes float32). That holds for memory maps too: the file is read into memory,
    all of it. A `shuffle` of tf.data fills its buffer before it gives the first element. Both
    together need more than the memory that is free, in the machine or under the limit of the
    container or job.

    ## Why training crashes
    The kernel ends the process without a word (*Killed*, exit code 137, *OOMKilled*), or TensorFlow
    says *std::bad_alloc*. A memory map of 1 GiB made the process 1.5 GiB larger in `fit`; a buffer
    of 400 elements of 1 MiB made it 404 MiB larger at the first element.

    ## How to fix it
    Arrays: give `fit` a `keras.utils.PyDataset` that reads slices (`x[i:i + 32]`), of a
    `numpy.memmap` if they do not fit in memory at all. Store float32 or uint8 instead of float64.
    Shuffle: a smaller buffer, or shuffle file names or indices before loading.

    ## When this is wrong
    Memory that other programs free until then is not counted; swap neither. Integers that the
    pipeline casts to floats later need more than is counted here.

    ## References
    - Keras: `keras.utils.PyDataset`
    - TensorFlow: `tf.data.Dataset.shuffle`, argument `buffer_size`
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU; the kill was not provoked here
    """
    arrays = _arrays(data)
    copied_bytes = sum(map(_copy_bytes, arrays))
    severity = free_memory.severity_of(copied_bytes)
    if severity is not None:
        largest = max(arrays, key=_copy_bytes)
        yield Finding(
            severity=severity,
            title=f"fit copies {size(copied_bytes)} of arrays, and {size(free_memory.free_bytes)} "
            "of memory are free",
            evidence=(*map(_quote_size, arrays), free_memory.evidence),
            fix=Fix(
                f"Read {format_field(largest)} in slices: a keras.utils.PyDataset whose "
                "__getitem__ gives one batch, over numpy.memmap where the data do not fit in "
                "memory."
            ),
        )
    for source, pipeline in piped or ():
        for number, stage in enumerate(pipeline.stages):
            if stage.name not in SHUFFLES or stage.buffer_size is None:
                continue
            elements = _count_buffered(stage.buffer_size, elements_read(pipeline, number))
            needed_bytes = elements * (stage.element_bytes or 0)
            severity = free_memory.severity_of(needed_bytes)
            if severity is not None:
                yield Finding(
                    severity=severity,
                    title=f"{format_stage(stage)} of the {source.split} data holds "
                    f"{size(needed_bytes)}, and {size(free_memory.free_bytes)} of memory are free",
                    evidence=(
                        Evidence(
                            f"{elements:,} elements of {size(stage.element_bytes or 0)}",
                            f"{source.split} data, {format_stage(stage)}",
                        ),
                        free_memory.evidence,
                    ),
                    fix=Fix(
                        "Use a smaller buffer, or shuffle file names or indices before loading.",
                        changes_results=True,
                    ),
                )


def _arrays(data: DataFacts) -> list[Field]:
    """The fields that `fit` makes tensors of."""
    splits = {source.split for source in data.sources if source.kind == "arrays"}
    return [field for field in data.fields if field.split in splits and field.size_bytes]


def _copy_bytes(field: Field) -> int:
    whole = field.size_bytes or 0
    return whole // 2 if field.dtype == "float64" else whole


def _quote_size(field: Field) -> Evidence:
    mapped = ", a memory map" if field.mapped else ""
    return Evidence(f"{field.dtype}, {size(field.size_bytes or 0)}{mapped}", format_field(field))


def _count_buffered(buffer: int, elements: int | None) -> int:
    return min(buffer, elements) if elements is not None and elements >= 0 else buffer
