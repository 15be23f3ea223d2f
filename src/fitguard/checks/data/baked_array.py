"""A tf.data pipeline carries large arrays in itself, instead of reading them piece by piece."""

from collections.abc import Iterator

from fitguard.checks.data.derived.pipelines import Piped, format_stage
from fitguard.checks.framework.registry import check
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.pipeline import Pipeline
from fitguard.words import size

_WARNING_BYTES = 200 * 10**6
# A protocol buffer, which is how TensorFlow writes a graph, ends at 2 GiB.
_ERROR_BYTES = 2**31


@check("FG670", "baked-array")
def baked_array(piped: tuple[Piped, ...]) -> Iterator[Finding]:
    """
    ## What it means
    `from_tensor_slices(array)`, or a function in `map` that uses an array from outside, puts the
    whole array into the pipeline. Wherever the pipeline is written as a graph, the array is written
    with it.

    ## Why training crashes
    A graph cannot be larger than 2 GiB. What was seen with an array of 2.15 GiB (TensorFlow 2.21,
    CPU):

    - `from_tensor_slices` inside a `tf.function`, and a NumPy array in a function of `map`:
      *ValueError: Cannot create a tensor proto whose content is larger than 2GB*, at once.
    - the tf.data service: the process aborts (*Check failed: serializer_(msg_).ok()*).
    - the pipeline written as a graph: an empty result, and no error.
    - plain `fit` on one machine: it trained. But memory rose from 2.7 GiB to 7.0 GiB when the
      dataset was made, and to 9.1 GiB at its peak: four times the array. A machine that is smaller
      kills the process.

    With a GPU TensorFlow puts such a tensor on the GPU first, as any other (general knowledge, not
    tried here): it takes the model's memory, or ends with *Dst tensor is not initialized*.

    ## How to fix it
    Give `fit` the arrays themselves: it copies them once. Data that are larger belong in files:
    TFRecord, or a `keras.utils.PyDataset` that reads slices of a `numpy.memmap`. Make tensors for a
    pipeline under `with tf.device("CPU:0")`.

    ## When this is wrong
    On one machine with much memory, without the tf.data service, plain `fit` may well run.

    ## References
    - TensorFlow guide: tf.data, "Consuming NumPy arrays"
    - Protocol Buffers documentation: messages end at 2 GiB
    - Tried with TensorFlow 2.21 and Keras 3.15 on the CPU
    """
    for source, pipeline in piped:
        baked_bytes = sum(stage.baked_bytes for stage in pipeline.stages)
        if baked_bytes < _WARNING_BYTES:
            continue
        over = baked_bytes >= _ERROR_BYTES
        limit = ", more than the 2 GiB that a graph can hold" if over else ""
        yield Finding(
            severity="error" if over else "warning",
            title=f"The {source.split} pipeline carries {size(baked_bytes)} of arrays in "
            f"itself{limit}",
            evidence=tuple(_stages(source.split, pipeline)),
            fix=Fix(
                "Give fit the arrays themselves, or read them in pieces: TFRecord files, or a "
                "keras.utils.PyDataset over numpy.memmap."
            ),
        )


def _stages(split: str, pipeline: Pipeline) -> Iterator[Evidence]:
    """The stages that hold something, the largest first."""
    holding = [stage for stage in pipeline.stages if stage.baked_bytes]
    for stage in sorted(holding, key=lambda item: -item.baked_bytes)[:5]:
        yield Evidence(
            f"{format_stage(stage)} holds {size(stage.baked_bytes)}",
            f"{split} data, tf.data pipeline",
        )
