import numpy as np
import pytest
from checks.data.made_facts import field, model_of, price_output
from checks.data.made_pipelines import piped, stages
from checks.data.ten_classes import accuracy, classifier, points
from checks.data.tiny_training import only
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import ClassCount, Labels

CLASSIFIER = model_of(outputs=(price_output((None, 10), "sparse_categorical_crossentropy"),))


def shuffled(buffer: int, *, mixed: bool = False):
    import tensorflow as tf

    samples = tf.data.Dataset.from_tensor_slices(points(mixed=mixed))
    return samples.shuffle(buffer, seed=1).batch(32).prefetch(1)


def sortedness(pipeline) -> float:
    """How closely the labels follow their sorted order: 1 fully, 0 not at all."""
    labels = np.concatenate([y for _, y in pipeline.as_numpy_iterator()])
    return float(np.corrcoef(labels, np.arange(len(labels)))[0, 1])


def test_a_small_buffer_leaves_the_order():
    assert sortedness(shuffled(20)) > 0.95
    assert abs(sortedness(shuffled(2000))) < 0.1


def test_classes_one_after_the_other_teach_less():
    small, full = shuffled(20), shuffled(2000)
    assert accuracy(small, epochs=1) < accuracy(full, epochs=1) - 0.1
    finding = only(check_all(classifier(), small), "FG672")
    assert finding.severity == "warning"
    assert finding.title.startswith("shuffle(20) is too small for data sorted by label")
    assert "by chance" in finding.evidence[0].text
    assert ".shuffle(2000)" in finding.fix.text
    assert check_all(classifier(), full).findings == ()


def test_mixed_data_need_no_large_buffer():
    assert abs(sortedness(shuffled(20, mixed=True))) < 0.1
    assert check_all(classifier(), shuffled(20, mixed=True)).findings == ()


def facts(buffer: int, elements: int | None, *before, labels: Labels | None = None):
    pipeline = stages(
        *before,
        ("from_tensor_slices", {"elements": elements}),
        ("shuffle", {"buffer_size": buffer}),
        ("batch", {"batch_size": 32}),
    )
    return piped(pipeline, field("y", labels=labels), model=CLASSIFIER)


@pytest.mark.parametrize(
    ("buffer", "elements", "severity"),
    [
        (1, None, "warning"),
        (1, 1, None),
        (99, 10_000, "info"),
        (100, 10_000, None),
        (9, 999, None),
        (64, None, None),
        (10_000, 10_000, None),
    ],
)
def test_where_labels_do_not_tell(buffer, elements, severity):
    found = [item.severity for item in run_data("FG672", facts(buffer, elements)).findings]
    assert found == [severity] * bool(severity)


@pytest.mark.parametrize(("changes", "count"), [(9, 1), (200, 0), (8000, 0)])
def test_a_buffer_that_reaches_over_the_stretches(changes, count):
    labels = Labels(
        integral=True,
        distinct=10,
        counts=tuple(ClassCount(float(value), 1000) for value in range(10)),
        neighbours=9999,
        changes=changes,
    )
    assert len(run_data("FG672", facts(500, 10_000, labels=labels)).findings) == count


def test_another_shuffle_is_large_enough():
    whole = [("range", {"elements": 10_000}), ("shuffle", {"buffer_size": 10_000})]
    assert run_data("FG672", facts(1, 10_000, *whole)).findings == ()
