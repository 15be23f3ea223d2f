"""The classes of `tf.data`, by name: what the user calls each, and what it is to a reader.

Read from TensorFlow 2.21; the names are the same since 2.12, where the classes got files of their
own. A class that is not here is opaque.
"""

from collections.abc import Iterator
from typing import Any

SOURCES = {
    "_TensorDataset": "from_tensors",
    "_TensorSliceDataset": "from_tensor_slices",
    "_SparseTensorSliceDataset": "from_sparse_tensor_slices",
    "_ListDataset": "from_list",
    "_RangeDataset": "range",
    "_RandomDataset": "random",
    "RandomDatasetV2": "random",
    "_LoadDataset": "load",
    "_TFRecordDataset": "TFRecordDataset",
    "_TextLineDataset": "TextLineDataset",
    "_FixedLengthRecordDataset": "FixedLengthRecordDataset",
    "CsvDatasetV2": "CsvDataset",
    "MatchingFilesDataset": "list_files",
}
"""Reading them moves nothing, but of `random` that gives other numbers at each iteration."""

WRAPPERS = {
    "TFRecordDatasetV2": "TFRecordDataset",
    "TextLineDatasetV2": "TextLineDataset",
    "FixedLengthRecordDatasetV2": "FixedLengthRecordDataset",
    "DatasetV1Adapter": "DatasetV1",
    "TFRecordDatasetV1": "TFRecordDataset",
    "TextLineDatasetV1": "TextLineDataset",
    "FixedLengthRecordDatasetV1": "FixedLengthRecordDataset",
}
"""They only stand around another dataset."""

LEFT_OUT = {
    "_ShuffleDataset": "shuffle",
    "_GlobalShuffleDataset": "global_shuffle",
    "CacheDataset": "cache",
    "_SnapshotDataset": "snapshot",
    "_LegacySnapshotDataset": "snapshot",
    "_PrefetchDataset": "prefetch",
    "_OptionsDataset": "with_options",
    "_AssertCardinalityDataset": "assert_cardinality",
    "_RestructuredDataset": "restructure",
    "_AutoShardDataset": "auto_shard",
    "_CopyToDeviceDataset": "copy_to_device",
}
"""A reader does without them: the elements are the same."""

REBUILT = {
    "_MapDataset": "map",
    "_ParallelMapDataset": "map",
    "_FilterDataset": "filter",
    "_FlatMapDataset": "flat_map",
    "_InterleaveDataset": "interleave",
    "_ParallelInterleaveDataset": "interleave",
    "ParallelInterleaveDataset": "interleave",
    "_BatchDataset": "batch",
    "_ParallelBatchDataset": "batch",
    "_MapAndBatchDataset": "map_and_batch",
    "_PaddedBatchDataset": "padded_batch",
    "_DenseToRaggedDataset": "to_ragged",
    "_DenseToSparseBatchDataset": "sparse_batch",
    "_UnbatchDataset": "unbatch",
    "_RebatchDataset": "rebatch",
    "_RepeatDataset": "repeat",
    "_ShuffleAndRepeatDataset": "shuffle_and_repeat",
    "_TakeDataset": "take",
    "_SkipDataset": "skip",
    "_ShardDataset": "shard",
    "_ZipDataset": "zip",
    "_ConcatenateDataset": "concatenate",
    "_DirectedInterleaveDataset": "choose_from_datasets",
    "_WindowDataset": "window",
    "_GroupByWindowDataset": "group_by_window",
    "_ScanDataset": "scan",
    "_TakeWhileDataset": "take_while",
    "_UniqueDataset": "unique",
    "_IgnoreErrorsDataset": "ignore_errors",
    "_ParseExampleDataset": "parse_example",
}

NAMES = {**SOURCES, **WRAPPERS, **LEFT_OUT, **REBUILT}


def class_of(dataset: Any) -> str:
    """The name of the class."""
    return type(dataset).__name__


def inner_of(dataset: Any) -> Any | None:
    """The dataset that a wrapper stands around."""
    return getattr(dataset, "_impl", None) or getattr(dataset, "_dataset", None)


def inputs_of(dataset: Any) -> list[Any]:
    """The datasets that it reads; of a wrapper, those of the dataset inside."""
    inner = inner_of(dataset) if class_of(dataset) in WRAPPERS else None
    try:
        return list((inner or dataset)._inputs())
    except Exception:  # a private method: whatever another TensorFlow makes of it
        return []


def is_from_generator(dataset: Any) -> bool:
    """Whether it is the stage that `from_generator` ends with."""
    function = getattr(getattr(dataset, "_map_func", None), "_func", None)
    return (
        class_of(dataset) == "_FlatMapDataset"
        and getattr(function, "__name__", "") == "flat_map_fn"
        and "from_generator" in str(getattr(function, "__qualname__", ""))
    )


def is_enumerate(dataset: Any) -> bool:
    """Whether it is the stage that `enumerate` ends with: numbers that never end, and the input."""
    inputs = inputs_of(dataset) if class_of(dataset) == "_ZipDataset" else []
    return len(inputs) == 2 and _counts(inputs[0])


def _counts(dataset: Any) -> bool:
    spec = getattr(dataset, "element_spec", None)
    return (
        class_of(dataset) in ("_VariantDataset", "_RangeDataset")
        and getattr(spec, "shape", None) == ()
        and getattr(getattr(spec, "dtype", None), "name", "") == "int64"
        and (cardinality_of(dataset) == -1 or (cardinality_of(dataset) or 0) > 2**62)
    )


def cardinality_of(dataset: Any) -> int | None:
    """How many elements; -1 for endless, None where TensorFlow does not know. Runs nothing."""
    try:
        number = int(dataset.cardinality())
    except Exception:  # a dataset of another make
        return None
    return None if number == -2 else number


def walk(dataset: Any) -> Iterator[Any]:
    """All datasets that this one is made of, sources first, each once."""
    done: set[int] = set()
    waiting = [dataset]
    while waiting:
        node = waiting[-1]
        inputs = [] if is_from_generator(node) else inputs_of(node)
        open_inputs = [source for source in inputs if id(source) not in done]
        if open_inputs:
            waiting.extend(reversed(open_inputs))
            continue
        waiting.pop()
        if id(node) not in done:
            done.add(id(node))
            yield node


def number(tensor: Any) -> int | None:
    """An integer that a stage holds as a tensor."""
    try:
        return int(tensor)
    except (TypeError, ValueError):
        return None
