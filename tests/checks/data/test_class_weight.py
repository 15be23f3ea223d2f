"""FG633: class weights that do not fit the labels."""

from functools import partial

import numpy as np
import pytest
from checks.data.label_facts import BINARY, MSE, SPARSE, counted, data, labels, output
from checks.data.label_models import checked, clusters, codes, dense, fitted, two_outputs

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Field, Training

THREE = counted((0, 40), (1, 30), (2, 30))
EVEN = {0: 1.0, 1: 1.0, 2: 1.0}
LEGACY = "tf_keras 2.21.0"


def judged(weights, field=None, out=None, *more, **facts):
    given = field or labels(labels=THREE)
    training = Training(class_weight=weights)
    return run_data("FG633", data(out or output(), given, *more, training=training, **facts))


def test_negative_weight_unlearns_a_class():
    x, y = clusters()
    wrong, right = dense(3, "softmax", SPARSE), dense(3, "softmax", SPARSE)
    upside_down = {0: 1.0, 1: -2.0, 2: 1.0}
    assert fitted(wrong, x, y, rounds=40, class_weight=upside_down)[-1] < 0
    fitted(right, x, y, rounds=40, class_weight=EVEN)
    assert not (wrong.predict(x, verbose=0).argmax(-1)[y == 1] == 1).any()
    assert (right.predict(x, verbose=0).argmax(-1)[y == 1] == 1).all()
    (finding,) = checked(wrong, x, y, class_weight=upside_down)
    assert (finding.code, finding.severity) == ("FG633", "error")
    assert finding.title == "The class weight of 1 is negative: its loss is driven up"
    assert checked(right, x, y, class_weight=EVEN) == ()


def test_class_without_weight_counts_one():
    x, y = clusters()
    part, full = {0: 1.0, 1: 2.0}, {0: 1.0, 1: 2.0, 2: 1.0}
    one, other = dense(3, "softmax", SPARSE), dense(3, "softmax", SPARSE)
    assert fitted(one, x, y, class_weight=part) == fitted(other, x, y, class_weight=full)
    (finding,) = checked(one, x, y, class_weight=part)
    assert (finding.code, finding.severity) == ("FG633", "warning")
    assert finding.title == "Class 2 of y has no class weight, and will count 1.0"
    assert finding.evidence[1].text == "32 labels of 2"


def test_class_without_weight_stops_a_dataset():
    import tensorflow as tf

    x, y = clusters()
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32).prefetch(1)
    model = dense(3, "softmax", SPARSE)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"2 is not in \[0, 2\)"):
        model.fit(dataset, class_weight={0: 1.0, 1: 2.0}, verbose=0)
    (finding,) = checked(model, dataset, class_weight={0: 1.0, 1: 2.0})
    assert (finding.code, finding.severity) == ("FG633", "error")
    assert checked(model, dataset, class_weight=EVEN) == ()


def test_several_outputs():
    x, y = clusters()
    model, both = two_outputs([SPARSE, "mse"]), [y, y.astype("float32")]
    with pytest.raises(ValueError, match="only supported for Models with a single output"):
        fitted(model, x, both, class_weight=EVEN)
    assert codes(model, x, both, class_weight=EVEN) == ["FG633"]


def test_beside_sample_weight():
    x, y = clusters()
    model, ones = dense(3, "softmax", SPARSE), np.ones(len(y), "float32")
    with pytest.raises(ValueError, match="at the same time"):
        fitted(model, x, y, class_weight=EVEN, sample_weight=ones)
    assert codes(model, x, y, ones, class_weight=EVEN) == ["FG633"]


def test_labels_by_step():
    x, y = clusters()
    steps, each = np.repeat(x[:, None], 5, axis=1), np.repeat(y[:, None], 5, axis=1)
    model = dense(3, "softmax", SPARSE, steps=5)
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        fitted(model, steps, each, class_weight=EVEN)
    assert codes(model, steps, each, class_weight=EVEN) == ["FG633"]


def test_generator():
    assert "for a generator" in judged(EVEN, kind="generator").findings[0].title
    assert not judged(EVEN, kind="generator", library=LEGACY).findings


WEIGHTS = Field(
    role="sample_weight", name="sample_weight", container="numpy.ndarray", dtype="f4", shape=()
)


@pytest.mark.parametrize(
    ("judgement", "severity"),
    [
        (partial(judged, {0: 0.0, 1: 0.0, 2: 0.0}), "error"),
        (partial(judged, {0: 1.0, 1: 1.0}, library=LEGACY), "error"),
        (partial(judged, {0: 1.0}, out=output(MSE, (None, 1))), "warning"),
        (partial(judged, EVEN, labels((3,)), output(BINARY, activation="sigmoid")), "warning"),
        (partial(judged, {0: 1.0, 2: 1.0}, kind="dataset"), "warning"),
        (partial(judged, EVEN, None, None, WEIGHTS), "error"),
    ],
    ids=["all-zero", "tf-keras", "values", "many-labels", "dataset-within", "sample-weight"],
)
def test_found(judgement, severity):
    assert [finding.severity for finding in judgement().findings] == [severity]


@pytest.mark.parametrize(
    "judgement",
    [
        partial(judged, None),
        partial(judged, EVEN),
        partial(judged, {**EVEN, 3: 1.0}),
        partial(judged, {0: 1.0, 1: 0.0, 2: 1.0}),
        partial(
            judged,
            {0: 1.0, 1: 5.0},
            labels(labels=counted((0, 95), (1, 5))),
            output(BINARY, (None, 1)),
        ),
        partial(
            judged,
            EVEN,
            labels((3,), labels=counted((0, 50), (2, 50), one_hot=True)),
            output(BINARY),
        ),
        partial(judged, {0: 1.0}, labels(labels=None)),
        partial(judged, {0: 1.0}, None, output("own", custom=True)),
        partial(judged, EVEN, None, None, WEIGHTS, library=LEGACY),
    ],
    ids=["none", "even", "more", "zero", "binary", "one-hot", "unread", "custom", "tf-keras"],
)
def test_fine(judgement):
    assert judgement().passed == ("FG633",)
