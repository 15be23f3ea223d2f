"""The classes of `tf.data`, by name: what the user calls each, and what it is to a reader.

Read from TensorFlow 2.21; the names are the same from 2.12, where the classes got files of their
own, to 2.22. A class that is not here is opaque.
"""

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

READERS = {
    "TFRecordDatasetV2": "TFRecordDataset",
    "TextLineDatasetV2": "TextLineDataset",
    "FixedLengthRecordDatasetV2": "FixedLengthRecordDataset",
}
"""They stand around stages that open the files one after another."""

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

VARIANT = "_VariantDataset"
"""TensorFlow has rewritten it: only its variant is at hand."""

NAMES = {**SOURCES, **READERS, **LEFT_OUT, **REBUILT}
