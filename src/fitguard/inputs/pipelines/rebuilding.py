"""Makes one stage once more, on another input, out of what the stage holds.

Raw operations take the functions that are traced already: nothing is traced anew, no seed is drawn.
What ran in parallel runs in parallel only where that cannot matter, and never far ahead.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from fitguard.inputs.pipelines.classes import class_of, number

PARALLEL_CALLS = 4
OPEN_FILES = 4
"""For an interleave that leaves the number to TensorFlow."""


class Stage(NamedTuple):
    """A stage to make once more.

    Args:
        dataset: The user's own.
        inputs: The variants of the twins of its inputs.
        captured: What its functions capture, by the name of their attribute, with the datasets
            among it replaced.
        parallel: Whether its function may run in parallel.
        drop_remainder: Whether batches must be full, because a repeat below was left out.
    """

    dataset: Any
    inputs: list[Any]
    captured: dict[str, list[Any]]
    parallel: bool
    drop_remainder: bool = False

    @property
    def first(self) -> Any:
        return self.inputs[0]

    @property
    def shapes(self) -> dict[str, Any]:
        return dict(self.dataset._flat_structure)

    def function(self, attribute: str) -> Any:
        return getattr(self.dataset, attribute).function

    def remainder(self) -> Any:
        return True if self.drop_remainder else self.dataset._drop_remainder


def rebuild(stage: Stage) -> Any:
    """The variant of the stage on its new inputs."""
    import tensorflow as tf

    return REBUILDERS[class_of(stage.dataset)](tf.raw_ops, stage)


def _map(raw: Any, stage: Stage) -> Any:
    dataset = stage.dataset
    arguments = {
        "input_dataset": stage.first,
        "other_arguments": stage.captured["_map_func"],
        "f": stage.function("_map_func"),
        "preserve_cardinality": getattr(dataset, "_preserve_cardinality", True),
        **stage.shapes,
    }
    if class_of(dataset) == "_ParallelMapDataset" and stage.parallel:
        return raw.ParallelMapDatasetV2(
            num_parallel_calls=_int64(PARALLEL_CALLS), deterministic="true", **arguments
        )
    return raw.MapDataset(**arguments)


def _to_ragged(raw: Any, stage: Stage) -> Any:
    inner = stage.dataset._mapped_dataset
    return raw.MapDataset(
        input_dataset=stage.first,
        other_arguments=inner._map_func.function.captured_inputs,
        f=inner._map_func.function,
        preserve_cardinality=True,
        **inner._flat_structure,
    )


def _map_and_batch(raw: Any, stage: Stage) -> Any:
    return raw.MapAndBatchDataset(
        input_dataset=stage.first,
        other_arguments=stage.captured["_map_func"],
        f=stage.function("_map_func"),
        batch_size=stage.dataset._batch_size_t,
        num_parallel_calls=_int64(1),
        drop_remainder=True if stage.drop_remainder else stage.dataset._drop_remainder_t,
        preserve_cardinality=True,
        **stage.shapes,
    )


def _predicate(raw: Any, stage: Stage) -> Any:
    is_filter = class_of(stage.dataset) == "_FilterDataset"
    operation = raw.FilterDataset if is_filter else raw.TakeWhileDataset
    return operation(
        input_dataset=stage.first,
        other_arguments=stage.captured["_predicate"],
        predicate=stage.function("_predicate"),
        **stage.shapes,
    )


def _flat_map(raw: Any, stage: Stage) -> Any:
    return raw.FlatMapDataset(
        input_dataset=stage.first,
        other_arguments=stage.captured["_map_func"],
        f=stage.function("_map_func"),
        **stage.shapes,
    )


def _interleave(raw: Any, stage: Stage) -> Any:
    cycle = number(stage.dataset._cycle_length)
    return raw.InterleaveDataset(
        input_dataset=stage.first,
        other_arguments=stage.captured["_map_func"],
        cycle_length=_int64(cycle if cycle and cycle > 0 else OPEN_FILES),
        block_length=stage.dataset._block_length,
        f=stage.function("_map_func"),
        **stage.shapes,
    )


def _batch(raw: Any, stage: Stage) -> Any:
    return raw.BatchDatasetV2(
        input_dataset=stage.first,
        batch_size=stage.dataset._batch_size,
        drop_remainder=stage.remainder(),
        **stage.shapes,
    )


def _padded_batch(raw: Any, stage: Stage) -> Any:
    from tensorflow.python.data.util import nest

    dataset = stage.dataset
    return raw.PaddedBatchDatasetV2(
        input_dataset=stage.first,
        batch_size=dataset._batch_size,
        padded_shapes=nest.flatten(dataset._padded_shapes),
        padding_values=nest.flatten(dataset._padding_values),
        drop_remainder=stage.remainder(),
        output_shapes=stage.shapes["output_shapes"],
    )


def _sparse_batch(raw: Any, stage: Stage) -> Any:
    from tensorflow.python.data.util import convert

    return raw.DenseToSparseBatchDataset(
        input_dataset=stage.first,
        batch_size=stage.dataset._batch_size,
        row_shape=convert.partial_shape_to_tensor(stage.dataset._row_shape),
        **stage.shapes,
    )


def _rebatch(raw: Any, stage: Stage) -> Any:
    return raw.RebatchDatasetV2(
        input_dataset=stage.first,
        batch_sizes=stage.dataset._batch_sizes,
        drop_remainder=stage.remainder(),
        **stage.shapes,
    )


def _counted(operation: str) -> Callable[[Any, Stage], Any]:
    def build(raw: Any, stage: Stage) -> Any:
        count = stage.dataset._count
        return getattr(raw, operation)(input_dataset=stage.first, count=count, **stage.shapes)

    return build


def _plain(operation: str) -> Callable[[Any, Stage], Any]:
    def build(raw: Any, stage: Stage) -> Any:
        return getattr(raw, operation)(input_dataset=stage.first, **stage.shapes)

    return build


def _shard(raw: Any, stage: Stage) -> Any:
    return raw.ShardDataset(
        input_dataset=stage.first,
        num_shards=stage.dataset._num_shards,
        index=stage.dataset._index,
        **stage.shapes,
    )


def _zip(raw: Any, stage: Stage) -> Any:
    return raw.ZipDataset(input_datasets=stage.inputs, **stage.shapes)


def _concatenate(raw: Any, stage: Stage) -> Any:
    first, second = stage.inputs
    return raw.ConcatenateDataset(input_dataset=first, another_dataset=second, **stage.shapes)


def _choose(raw: Any, stage: Stage) -> Any:
    return raw.DirectedInterleaveDataset(
        selector_input_dataset=stage.first,
        data_input_datasets=stage.inputs[1:],
        stop_on_empty_dataset=stage.dataset._stop_on_empty_dataset,
        **stage.shapes,
    )


def _window(raw: Any, stage: Stage) -> Any:
    dataset = stage.dataset
    return raw.WindowDataset(
        input_dataset=stage.first,
        size=dataset._size,
        shift=dataset._shift,
        stride=dataset._stride,
        drop_remainder=stage.remainder(),
        **stage.shapes,
    )


def _group_by_window(raw: Any, stage: Stage) -> Any:
    return raw.GroupByWindowDataset(
        input_dataset=stage.first,
        key_func_other_arguments=stage.captured["_key_func"],
        reduce_func_other_arguments=stage.captured["_reduce_func"],
        window_size_func_other_arguments=stage.captured["_window_size_func"],
        key_func=stage.function("_key_func"),
        reduce_func=stage.function("_reduce_func"),
        window_size_func=stage.function("_window_size_func"),
        **stage.shapes,
    )


def _scan(raw: Any, stage: Stage) -> Any:
    from tensorflow.python.data.util import structure

    dataset = stage.dataset
    return raw.ScanDataset(
        input_dataset=stage.first,
        initial_state=structure.to_tensor_list(dataset._state_structure, dataset._initial_state),
        other_arguments=stage.captured["_scan_func"],
        f=stage.function("_scan_func"),
        preserve_cardinality=True,
        **stage.shapes,
    )


def _parse_example(raw: Any, stage: Stage) -> Any:
    dataset = stage.dataset
    return raw.ParseExampleDatasetV2(
        input_dataset=stage.first,
        num_parallel_calls=_int64(1),
        dense_defaults=dataset._dense_defaults,
        sparse_keys=dataset._sparse_keys,
        dense_keys=dataset._dense_keys,
        sparse_types=dataset._sparse_types,
        dense_shapes=dataset._dense_shapes,
        ragged_keys=dataset._ragged_keys,
        ragged_value_types=dataset._ragged_value_types,
        ragged_split_types=dataset._ragged_split_types,
        **stage.shapes,
    )


def _int64(value: int) -> Any:
    import tensorflow as tf

    return tf.constant(value, tf.int64)


REBUILDERS: dict[str, Callable[[Any, Stage], Any]] = {
    "_MapDataset": _map,
    "_ParallelMapDataset": _map,
    "_FilterDataset": _predicate,
    "_TakeWhileDataset": _predicate,
    "_FlatMapDataset": _flat_map,
    "_InterleaveDataset": _interleave,
    "_ParallelInterleaveDataset": _interleave,
    "ParallelInterleaveDataset": _interleave,
    "_BatchDataset": _batch,
    "_ParallelBatchDataset": _batch,
    "_MapAndBatchDataset": _map_and_batch,
    "_PaddedBatchDataset": _padded_batch,
    "_DenseToRaggedDataset": _to_ragged,
    "_DenseToSparseBatchDataset": _sparse_batch,
    "_UnbatchDataset": _plain("UnbatchDataset"),
    "_UniqueDataset": _plain("UniqueDataset"),
    "_IgnoreErrorsDataset": _plain("IgnoreErrorsDataset"),
    "_RebatchDataset": _rebatch,
    "_RepeatDataset": _counted("RepeatDataset"),
    "_ShuffleAndRepeatDataset": _counted("RepeatDataset"),
    "_TakeDataset": _counted("TakeDataset"),
    "_SkipDataset": _counted("SkipDataset"),
    "_ShardDataset": _shard,
    "_ZipDataset": _zip,
    "_ConcatenateDataset": _concatenate,
    "_DirectedInterleaveDataset": _choose,
    "_WindowDataset": _window,
    "_GroupByWindowDataset": _group_by_window,
    "_ScanDataset": _scan,
    "_ParseExampleDataset": _parse_example,
}
