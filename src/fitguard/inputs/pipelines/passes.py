"""How many elements make one pass over the data, where repeats make a stream longer or endless."""

from typing import Any

from fitguard.inputs.pipelines.classes import (
    cardinality_of,
    class_of,
    inputs_of,
    is_enumerate,
    number,
)

_REPEATS = ("_RepeatDataset", "_ShuffleAndRepeatDataset")
_BATCHES = ("_BatchDataset", "_ParallelBatchDataset", "_PaddedBatchDataset")
_SAME_NUMBER = (
    "_MapDataset",
    "_ParallelMapDataset",
    "_ShuffleDataset",
    "CacheDataset",
    "_SnapshotDataset",
    "_PrefetchDataset",
    "_OptionsDataset",
    "_RestructuredDataset",
    "_DenseToRaggedDataset",
)
TRANSPARENT = (
    *_SAME_NUMBER,
    *_REPEATS,
    *_BATCHES,
    "_FilterDataset",
    "_UnbatchDataset",
    "_FlatMapDataset",
    "_InterleaveDataset",
    "_ParallelInterleaveDataset",
    "_GroupByWindowDataset",
    "_AssertCardinalityDataset",
    "_MapAndBatchDataset",
    "_WindowDataset",
)
"""Stages behind which a repeat below them still means: the same data again."""


def repeats(dataset: Any) -> bool:
    """Whether the data come again, because of a repeat on the way to the source."""
    node = dataset
    while class_of(node) in TRANSPARENT:
        if class_of(node) in _REPEATS and number(getattr(node, "_count", None)) not in (0, 1):
            return True
        inputs = inputs_of(node)
        if not inputs:
            return False
        node = inputs[0]
    return False


def one_pass(dataset: Any) -> int | None:
    """The number of elements after which the data come again; None where that is not known."""
    kind = class_of(dataset)
    sources = inputs_of(dataset)
    if kind in _REPEATS or kind in _SAME_NUMBER:
        return one_pass(sources[0])
    if kind in _BATCHES:
        return _batched(dataset, one_pass(sources[0]))
    if is_enumerate(dataset):
        return one_pass(sources[1])
    total = cardinality_of(dataset)
    if total != -1 or not sources:
        return total if total is not None and total >= 0 else None
    passes = [one_pass(source) for source in sources if cardinality_of(source) is not None]
    known = [length for length in passes if length is not None]
    if kind == "_ZipDataset" and len(known) == len(sources):
        return max(known)
    if kind == "_DirectedInterleaveDataset" and len(known) >= len(sources) - 1:
        return sum(known)
    return None


def _batched(dataset: Any, samples: int | None) -> int | None:
    size = number(getattr(dataset, "_batch_size", None))
    if samples is None or not size:
        return None
    repeated = repeats(inputs_of(dataset)[0])
    full = bool(getattr(dataset, "_drop_remainder", False)) and not repeated
    return samples // size if full else -(-samples // size)
