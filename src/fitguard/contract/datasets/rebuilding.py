"""Makes one stage once more, on another input, out of what the stage holds.

Raw operations take the functions that are traced already: nothing is traced anew, no seed is drawn.
What ran in parallel runs in parallel only where that cannot matter, and never far ahead.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from fitguard.contract.datasets.classes import REBUILT
from fitguard.contract.datasets.stages import DatasetStage, number

PARALLEL_CALLS = 4
OPEN_FILES = 4
"""For an interleave that leaves the number to TensorFlow."""


class Remake(NamedTuple):
    """A stage to make once more.

    Args:
        stage: The user's own.
        inputs: The variants of the twins of its inputs.
        captured: What its functions capture, by the name of their attribute, with the datasets
            among it replaced.
        parallel: Whether its function may run in parallel.
        full: Whether batches must be full, because a repeat below was left out.
    """

    stage: DatasetStage
    inputs: list[Any]
    captured: dict[str, list[Any]]
    parallel: bool
    full: bool = False

    @property
    def dataset(self) -> Any:
        return self.stage.dataset

    @property
    def first(self) -> Any:
        return self.inputs[0]

    @property
    def shapes(self) -> dict[str, Any]:
        return dict(self.dataset._flat_structure)

    def function(self, attribute: str) -> Any:
        return self.stage.functions[attribute].concrete

    def remainder(self) -> Any:
        return True if self.full else self.dataset._drop_remainder


def rebuild(remake: Remake) -> Any:
    """The variant of the stage on its new inputs.

    Raises:
        AttributeError: where this TensorFlow makes such a stage in another way.
    """
    import tensorflow as tf

    return _REBUILDERS[REBUILT[remake.stage.kind]](tf.raw_ops, remake)


def source_variant(stage: DatasetStage) -> Any:
    """The variant of a source: its own, or one like it where reading that would change it."""
    import tensorflow as tf

    dataset = stage.dataset
    if stage.name == "random" and dataset._rerandomize:
        return tf.raw_ops.RandomDataset(
            seed=dataset._seed, seed2=dataset._seed2, **dataset._flat_structure
        )
    return tf.data.experimental.to_variant(dataset)


def _map(raw: Any, remake: Remake) -> Any:
    dataset = remake.dataset
    arguments = {
        "input_dataset": remake.first,
        "other_arguments": remake.captured["_map_func"],
        "f": remake.function("_map_func"),
        "preserve_cardinality": dataset._preserve_cardinality,
        **remake.shapes,
    }
    if remake.stage.kind == "_ParallelMapDataset" and remake.parallel:
        return raw.ParallelMapDatasetV2(
            num_parallel_calls=_int64(PARALLEL_CALLS), deterministic="true", **arguments
        )
    return raw.MapDataset(**arguments)


def _to_ragged(raw: Any, remake: Remake) -> Any:
    inner = remake.dataset._mapped_dataset
    return raw.MapDataset(
        input_dataset=remake.first,
        other_arguments=remake.captured["_mapped_dataset"],
        f=remake.function("_mapped_dataset"),
        preserve_cardinality=True,
        **inner._flat_structure,
    )


def _map_and_batch(raw: Any, remake: Remake) -> Any:
    return raw.MapAndBatchDataset(
        input_dataset=remake.first,
        other_arguments=remake.captured["_map_func"],
        f=remake.function("_map_func"),
        batch_size=remake.dataset._batch_size_t,
        num_parallel_calls=_int64(1),
        drop_remainder=True if remake.full else remake.dataset._drop_remainder_t,
        preserve_cardinality=True,
        **remake.shapes,
    )


def _make_predicate_builder(operation: str) -> Callable[[Any, Remake], Any]:
    def build(raw: Any, remake: Remake) -> Any:
        return getattr(raw, operation)(
            input_dataset=remake.first,
            other_arguments=remake.captured["_predicate"],
            predicate=remake.function("_predicate"),
            **remake.shapes,
        )

    return build


def _flat_map(raw: Any, remake: Remake) -> Any:
    return raw.FlatMapDataset(
        input_dataset=remake.first,
        other_arguments=remake.captured["_map_func"],
        f=remake.function("_map_func"),
        **remake.shapes,
    )


def _interleave(raw: Any, remake: Remake) -> Any:
    cycle = number(remake.dataset._cycle_length)
    return raw.InterleaveDataset(
        input_dataset=remake.first,
        other_arguments=remake.captured["_map_func"],
        cycle_length=_int64(cycle if cycle and cycle > 0 else OPEN_FILES),
        block_length=remake.dataset._block_length,
        f=remake.function("_map_func"),
        **remake.shapes,
    )


def _batch(raw: Any, remake: Remake) -> Any:
    return raw.BatchDatasetV2(
        input_dataset=remake.first,
        batch_size=remake.dataset._batch_size,
        drop_remainder=remake.remainder(),
        **remake.shapes,
    )


def _padded_batch(raw: Any, remake: Remake) -> Any:
    from tensorflow.python.data.util import nest

    dataset = remake.dataset
    return raw.PaddedBatchDatasetV2(
        input_dataset=remake.first,
        batch_size=dataset._batch_size,
        padded_shapes=nest.flatten(dataset._padded_shapes),
        padding_values=nest.flatten(dataset._padding_values),
        drop_remainder=remake.remainder(),
        output_shapes=remake.shapes["output_shapes"],
    )


def _sparse_batch(raw: Any, remake: Remake) -> Any:
    from tensorflow.python.data.util import convert

    return raw.DenseToSparseBatchDataset(
        input_dataset=remake.first,
        batch_size=remake.dataset._batch_size,
        row_shape=convert.partial_shape_to_tensor(remake.dataset._row_shape),
        **remake.shapes,
    )


def _rebatch(raw: Any, remake: Remake) -> Any:
    return raw.RebatchDatasetV2(
        input_dataset=remake.first,
        batch_sizes=remake.dataset._batch_sizes,
        drop_remainder=remake.remainder(),
        **remake.shapes,
    )


def _make_count_builder(operation: str) -> Callable[[Any, Remake], Any]:
    def build(raw: Any, remake: Remake) -> Any:
        count = remake.dataset._count
        return getattr(raw, operation)(input_dataset=remake.first, count=count, **remake.shapes)

    return build


def _make_plain_builder(operation: str) -> Callable[[Any, Remake], Any]:
    def build(raw: Any, remake: Remake) -> Any:
        return getattr(raw, operation)(input_dataset=remake.first, **remake.shapes)

    return build


def _shard(raw: Any, remake: Remake) -> Any:
    return raw.ShardDataset(
        input_dataset=remake.first,
        num_shards=remake.dataset._num_shards,
        index=remake.dataset._index,
        **remake.shapes,
    )


def _zip(raw: Any, remake: Remake) -> Any:
    return raw.ZipDataset(input_datasets=remake.inputs, **remake.shapes)


def _concatenate(raw: Any, remake: Remake) -> Any:
    first, second = remake.inputs
    return raw.ConcatenateDataset(input_dataset=first, another_dataset=second, **remake.shapes)


def _choose(raw: Any, remake: Remake) -> Any:
    return raw.DirectedInterleaveDataset(
        selector_input_dataset=remake.first,
        data_input_datasets=remake.inputs[1:],
        stop_on_empty_dataset=remake.dataset._stop_on_empty_dataset,
        **remake.shapes,
    )


def _window(raw: Any, remake: Remake) -> Any:
    dataset = remake.dataset
    return raw.WindowDataset(
        input_dataset=remake.first,
        size=dataset._size,
        shift=dataset._shift,
        stride=dataset._stride,
        drop_remainder=remake.remainder(),
        **remake.shapes,
    )


def _group_by_window(raw: Any, remake: Remake) -> Any:
    return raw.GroupByWindowDataset(
        input_dataset=remake.first,
        key_func_other_arguments=remake.captured["_key_func"],
        reduce_func_other_arguments=remake.captured["_reduce_func"],
        window_size_func_other_arguments=remake.captured["_window_size_func"],
        key_func=remake.function("_key_func"),
        reduce_func=remake.function("_reduce_func"),
        window_size_func=remake.function("_window_size_func"),
        **remake.shapes,
    )


def _scan(raw: Any, remake: Remake) -> Any:
    from tensorflow.python.data.util import structure

    dataset = remake.dataset
    return raw.ScanDataset(
        input_dataset=remake.first,
        initial_state=structure.to_tensor_list(dataset._state_structure, dataset._initial_state),
        other_arguments=remake.captured["_scan_func"],
        f=remake.function("_scan_func"),
        preserve_cardinality=True,
        **remake.shapes,
    )


def _parse_example(raw: Any, remake: Remake) -> Any:
    dataset = remake.dataset
    return raw.ParseExampleDatasetV2(
        input_dataset=remake.first,
        num_parallel_calls=_int64(1),
        dense_defaults=dataset._dense_defaults,
        sparse_keys=dataset._sparse_keys,
        dense_keys=dataset._dense_keys,
        sparse_types=dataset._sparse_types,
        dense_shapes=dataset._dense_shapes,
        ragged_keys=dataset._ragged_keys,
        ragged_value_types=dataset._ragged_value_types,
        ragged_split_types=dataset._ragged_split_types,
        **remake.shapes,
    )


def _int64(value: int) -> Any:
    import tensorflow as tf

    return tf.constant(value, tf.int64)


_REBUILDERS: dict[str, Callable[[Any, Remake], Any]] = {
    "map": _map,
    "filter": _make_predicate_builder("FilterDataset"),
    "take_while": _make_predicate_builder("TakeWhileDataset"),
    "flat_map": _flat_map,
    "interleave": _interleave,
    "batch": _batch,
    "map_and_batch": _map_and_batch,
    "padded_batch": _padded_batch,
    "to_ragged": _to_ragged,
    "sparse_batch": _sparse_batch,
    "unbatch": _make_plain_builder("UnbatchDataset"),
    "unique": _make_plain_builder("UniqueDataset"),
    "ignore_errors": _make_plain_builder("IgnoreErrorsDataset"),
    "rebatch": _rebatch,
    "repeat": _make_count_builder("RepeatDataset"),
    "shuffle_and_repeat": _make_count_builder("RepeatDataset"),
    "take": _make_count_builder("TakeDataset"),
    "skip": _make_count_builder("SkipDataset"),
    "shard": _shard,
    "zip": _zip,
    "concatenate": _concatenate,
    "choose_from_datasets": _choose,
    "window": _window,
    "group_by_window": _group_by_window,
    "scan": _scan,
    "parse_example": _parse_example,
}
