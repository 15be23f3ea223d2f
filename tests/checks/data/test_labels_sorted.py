import numpy as np
import pytest
from checks.data.made_facts import facts_of, field, model_of, price_output
from checks.data.made_pipelines import source
from checks.data.ten_classes import accuracy, classifier, points
from checks.data.tiny_training import only
from checks.data.whole_check import check_all

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import ClassCount, Labels, Training


def test_arrays_that_are_not_shuffled():
    x, y = points()
    assert accuracy(x, y, epochs=1, shuffle=False) < accuracy(x, y, epochs=1) - 0.1
    finding = only(check_all(classifier(), x, y, shuffle=False), "FG679")
    assert finding.severity == "warning"
    assert finding.title.startswith("y comes sorted: only 9 of 1,999 neighbors")
    assert finding.evidence[1].text == "fit is called with shuffle=False"
    assert check_all(classifier(), x, y).findings == ()


def test_mixed_arrays_need_no_shuffle():
    x, y = points(mixed=True)
    assert check_all(classifier(), x, y, shuffle=False).findings == ()


def test_a_dataset_without_shuffle():
    import tensorflow as tf

    plain = tf.data.Dataset.from_tensor_slices(points()).batch(32).prefetch(1)
    finding = only(check_all(classifier(), plain), "FG679")
    assert finding.evidence[1].text == "the tf.data pipeline has no shuffle"
    assert ".shuffle(2000) before .batch" in finding.fix.text


def test_a_generator():
    x, y = points()

    def batches(order):
        for start in range(0, len(order), 32):
            yield x[order[start : start + 32]], y[order[start : start + 32]]

    sorted_order = np.arange(len(x))
    mixed_order = np.random.default_rng(7).permutation(len(x))
    steps = {"steps_per_epoch": 62}
    report = check_all(classifier(), batches(sorted_order), **steps)
    assert "random order" in only(report, "FG679").fix.text
    assert check_all(classifier(), batches(mixed_order), **steps).findings == ()


def facts(changes: int, neighbours: int = 1999, classes: int = 10, **model):
    labels = Labels(
        integral=True,
        distinct=classes,
        counts=tuple(ClassCount(float(value), 200) for value in range(classes)),
        neighbours=neighbours,
        changes=changes,
    )
    output = price_output((None, 10), "sparse_categorical_crossentropy")
    return facts_of(
        field("y", labels=labels),
        model=model_of(outputs=(output,), **model),
        sources=(source(kind="arrays", container="numpy.ndarray"),),
        training=Training(shuffle=False),
    )


@pytest.mark.parametrize(
    ("known", "count"),
    [
        (facts(9), 1),
        (facts(900), 0),
        (facts(9, neighbours=50), 0),
        (facts(0, neighbours=0), 0),
        (facts(9, classes=1), 0),
        (facts(9, batch_bound="memory"), 0),
    ],
)
def test_edges(known, count):
    assert len(run_data("FG679", known).findings) == count


def test_skipped_for_a_step_of_its_own():
    assert run_data("FG679", facts(9, custom_step=True)).skipped


def test_validation_split_takes_the_end_of_sorted_labels():
    x, y = points()
    finding = only(check_all(classifier(), x, y, validation_split=0.05), "FG679")
    assert finding.severity == "warning"
    assert "validation_split=0.05 takes the end of it" in finding.title
    mixed = points(mixed=True)
    assert check_all(classifier(), *mixed, validation_split=0.05).findings == ()
