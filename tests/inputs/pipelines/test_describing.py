"""The stages of a pipeline as facts."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inputs.pipelines.cases import CASES, REFUSED, lengths, numbers, slices

from fitguard.inputs.pipelines.describing import describe
from fitguard.schema.pipeline import Stage


def names(dataset: Any) -> list[str]:
    return [stage.name for stage in describe(dataset).stages]


def last(dataset: Any) -> Stage:
    return describe(dataset).stages[-1]


def test_the_usual_pipeline(tmp_path: Path) -> None:
    dataset = slices().cache(str(tmp_path / "c")).shuffle(8, seed=1).batch(5).repeat().prefetch(-1)
    pipeline = describe(dataset)

    assert [stage.name for stage in pipeline.stages] == [
        "from_tensor_slices",
        "cache",
        "shuffle",
        "batch",
        "repeat",
        "prefetch",
    ]
    assert [stage.inputs for stage in pipeline.stages] == [(), (0,), (1,), (2,), (3,), (4,)]
    source, cache, shuffle, batch, repeat, prefetch = pipeline.stages
    assert source.baked_bytes == 48 * 4 + 12 * 8
    assert (source.elements, source.element_bytes) == (12, 24)
    assert source.element == "(float32[2, 2, 1], int64[])"
    assert cache.filename == str(tmp_path / "c")
    assert (shuffle.buffer_size, shuffle.reshuffle, shuffle.seeded) == (8, True, True)
    assert (batch.batch_size, batch.drop_remainder, batch.elements) == (5, False, 3)
    assert batch.element_bytes == 5 * 24
    assert (repeat.count, repeat.elements) == (-1, -1)
    assert prefetch.buffer_size == -1
    assert pipeline.opaque == ()


def test_settings_of_a_shuffle() -> None:
    import tensorflow as tf
    from tensorflow.python.eager import context

    context.context()._seed = None
    assert last(numbers().shuffle(3)).seeded is False
    assert last(numbers().shuffle(3, reshuffle_each_iteration=False)).reshuffle is False
    tf.random.set_seed(1)
    assert last(numbers().shuffle(3)).seeded is True
    assert last(numbers().cache()).filename == ""


def test_functions() -> None:
    import keras
    import tensorflow as tf

    big = np.zeros((1000, 10), "float32")
    flip = keras.layers.RandomFlip(seed=1)

    def augment(x: Any, y: Any) -> Any:
        return tf.cond(y > 0, lambda: tf.image.random_flip_up_down(x), lambda: x), y

    augmented = last(slices().map(augment))
    assert (augmented.function, augmented.random, augmented.python) == ("augment", True, False)
    assert last(slices().batch(2).map(lambda x, y: (flip(x), y))).random
    assert not last(slices().map(lambda x, y: (x / 255.0, y))).random
    baked = last(numbers().map(lambda n: tf.gather(big, n)))
    assert 40_000 <= baked.baked_bytes < 41_000
    tensor = tf.constant(big)
    assert 40_000 <= last(numbers().map(lambda n: tf.gather(tensor, n))).baked_bytes < 41_000


def test_python_in_functions(files: Path) -> None:
    for name in ("numpy_function", "py_function", "from_generator", "generator_object"):
        stages = describe(CASES[name](files)).stages
        running = [stage for stage in stages if stage.python]
        assert [stage.random for stage in running] == [True], name
    assert "from_generator" in names(CASES["from_generator"](files))
    assert not any(stage.python for stage in describe(slices().map(lambda x, y: (x, y))).stages)


def test_branches() -> None:
    import tensorflow as tf

    source = numbers()
    pipeline = describe(tf.data.Dataset.zip((source.map(lambda n: n + 1), source)))

    assert [stage.name for stage in pipeline.stages] == ["range", "map", "zip"]
    assert [stage.inputs for stage in pipeline.stages] == [(), (0,), (1, 0)]


def test_names_of_what_is_made_of_several_stages(files: Path) -> None:
    import tensorflow as tf

    assert names(slices().enumerate()) == ["from_tensor_slices", "enumerate"]
    assert names(lengths().ragged_batch(3))[-2:] == ["to_ragged", "batch"]
    assert names(tf.data.TextLineDataset(str(files / "lines.csv")))[-1] == "TextLineDataset"
    assert names(tf.data.TFRecordDataset(str(files / "0.tfrecord"))) == [
        "from_tensor_slices",
        "TFRecordDataset",
    ]
    assert last(numbers().batch(2).unbatch()).element_bytes == 8


def test_a_very_long_pipeline() -> None:
    dataset = numbers(1)
    for _ in range(1500):
        dataset = dataset.concatenate(numbers(1))

    assert len(describe(dataset).stages) == 3001


def test_sizes_that_are_not_known() -> None:
    assert last(lengths()).element_bytes is None
    assert last(numbers().filter(lambda n: n > 2)).elements is None
    assert last(numbers().take(4)).count == 4


@pytest.mark.parametrize("name", sorted(CASES | REFUSED))
def test_every_pipeline_can_be_described(name: str, files: Path) -> None:
    pipeline = describe((CASES | REFUSED)[name](files))

    assert pipeline.stages
    assert set(pipeline.opaque) <= {"_VariantDataset"}
    for place, stage in enumerate(pipeline.stages):
        assert all(source < place for source in stage.inputs)


@pytest.mark.parametrize(
    "attribute", ["_buffer_size", "_seed", "_reshuffle_each_iteration", "_input_dataset"]
)
def test_a_missing_attribute_is_no_error(attribute: str) -> None:
    dataset = numbers().shuffle(3, seed=1)
    delattr(dataset, attribute)

    stage = last(dataset)

    assert stage.name == "shuffle"
    assert describe(dataset).opaque == (("_ShuffleDataset",) if "input" in attribute else ())
    assert (stage.reshuffle is None) == (attribute == "_reshuffle_each_iteration")
    assert (stage.buffer_size is None) == (attribute == "_buffer_size")
    assert (stage.seeded is None) == (attribute == "_seed")
