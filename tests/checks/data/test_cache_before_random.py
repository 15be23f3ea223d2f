import numpy as np
import pytest
from checks.data.made_pipelines import piped, stages
from checks.data.tiny_training import BATCH, only, regression, table
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data

NOISE = ("map", {"random": True, "function": "augment"})
SHUFFLE = ("shuffle", {"buffer_size": 100})
CACHE = ("cache", {"filename": ""})


def augment(x, y):
    import tensorflow as tf

    return x + tf.random.normal(tf.shape(x), stddev=0.1), y


def samples():
    import tensorflow as tf

    return tf.data.Dataset.from_tensor_slices(table())


def epochs(pipeline) -> list[np.ndarray]:
    """What comes in two epochs."""
    return [np.concatenate([x for x, _ in pipeline.as_numpy_iterator()]) for _ in range(2)]


def test_every_epoch_repeats_the_first_draw():
    import tensorflow as tf

    # A global seed makes random numbers in tf.data start anew at each epoch, with or without cache.
    tf.random.set_seed(None)
    cached = samples().map(augment).cache().batch(BATCH).prefetch(1)
    fresh = samples().cache().map(augment).batch(BATCH).prefetch(1)
    first, second = epochs(cached)
    np.testing.assert_array_equal(first, second)
    first, second = epochs(fresh)
    assert (first != second).all()
    finding = only(check_all(regression(), cached), "FG673")
    assert finding.severity == "warning"
    assert finding.title == (
        "cache() stands behind map(augment): every epoch repeats its random draws"
    )
    assert check_all(regression(), fresh).findings == ()


def test_every_epoch_has_the_same_order():
    cached = samples().shuffle(64).cache().batch(BATCH).prefetch(1)
    fresh = samples().cache().shuffle(64).batch(BATCH).prefetch(1)
    first, second = epochs(cached)
    np.testing.assert_array_equal(first, second)
    first, second = epochs(fresh)
    assert (first != second).any()
    finding = only(check_all(regression(), cached), "FG673")
    assert finding.severity == "info"
    assert finding.title == "cache() stands behind shuffle(64): every epoch has the same order"
    assert check_all(regression(), fresh).findings == ()


@pytest.mark.parametrize(
    "pipeline",
    [
        stages("from_tensor_slices", "map", CACHE, NOISE, "batch"),
        stages("from_tensor_slices", SHUFFLE, CACHE, SHUFFLE, "batch"),
        stages("from_tensor_slices", NOISE, "batch"),
    ],
)
def test_silent(pipeline):
    assert run_data("FG673", piped(pipeline)).findings == ()


def test_a_file_keeps_the_draw_too():
    pipeline = stages("from_tensor_slices", NOISE, ("cache", {"filename": "disk"}), "batch")
    finding = only(run_data("FG673", piped(pipeline)), "FG673")
    assert finding.title.startswith("cache('disk') stands behind map(augment)")
