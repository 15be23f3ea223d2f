import numpy as np
import pytest
from checks.data.made_pipelines import piped, stages
from checks.data.ten_classes import accuracy, classifier, points
from checks.data.tiny_training import only
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data

BATCH = ("batch", {"batch_size": 32})
SHUFFLE = ("shuffle", {"buffer_size": 63})


def samples():
    import tensorflow as tf

    return tf.data.Dataset.from_tensor_slices(points())


def companies(pipeline) -> set[frozenset[float]]:
    """The batches of an epoch, each as the set of its samples."""
    return {frozenset(x[:, 0].tolist()) for x, _ in pipeline.as_numpy_iterator()}


def test_the_same_samples_stay_together():
    after = samples().batch(32).shuffle(63, seed=1)
    before = samples().shuffle(2000, seed=1).batch(32)
    assert companies(after) == companies(after)
    assert not companies(before) & companies(before)


def test_batches_of_one_class_teach_less():
    after = samples().batch(32).shuffle(63, seed=1).prefetch(1)
    before = samples().shuffle(2000, seed=1).batch(32).prefetch(1)
    assert accuracy(after, epochs=1) < accuracy(before, epochs=1) - 0.05
    finding = only(check_all(classifier(), after), "FG671")
    assert finding.severity == "warning"
    assert finding.title == (
        "shuffle(63) stands behind batch(32): the same 32 samples form a batch in every epoch"
    )
    assert ".shuffle(2016).batch(32)" in finding.fix.text
    assert check_all(classifier(), before).findings == ()


def test_one_class_in_each_batch():
    kinds = [len(np.unique(y)) for _, y in samples().batch(32).shuffle(63).as_numpy_iterator()]
    assert max(kinds) <= 2


@pytest.mark.parametrize(
    "pipeline",
    [
        stages("from_tensor_slices", SHUFFLE, BATCH),
        stages("from_tensor_slices", SHUFFLE, BATCH, SHUFFLE),
        stages("from_tensor_slices", BATCH, SHUFFLE, "unbatch", BATCH),
        stages("from_tensor_slices", BATCH, "unbatch", SHUFFLE, BATCH),
        stages("from_tensor_slices", ("batch", {"batch_size": 1}), SHUFFLE),
        stages("from_generator", BATCH, SHUFFLE),
        stages("list_files", "map", BATCH, SHUFFLE),
        stages("from_tensor_slices", BATCH, "prefetch"),
    ],
)
def test_silent(pipeline):
    assert run_data("FG671", piped(pipeline)).findings == ()


def test_skipped_without_a_pipeline():
    from checks.data.made_facts import facts_of
    from checks.data.made_pipelines import source

    judgement = run_data("FG671", facts_of(sources=(source(),)))
    assert judgement.skipped[0].reason == "the training data are no tf.data.Dataset"


def test_of_mixed_samples_little_is_lost():
    import tensorflow as tf

    mixed = tf.data.Dataset.from_tensor_slices(points(mixed=True))
    after = mixed.batch(32).shuffle(63, seed=1).prefetch(1)
    before = mixed.shuffle(2000, seed=1).batch(32).prefetch(1)
    assert accuracy(after, epochs=1) > accuracy(before, epochs=1) - 0.05
    assert only(check_all(classifier(), after), "FG671").severity == "info"
