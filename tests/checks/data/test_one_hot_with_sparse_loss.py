"""FG621: one-hot rows for a loss that reads class numbers."""

import numpy as np
import pytest
from checks.data.label_facts import SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, dense, fitted

from fitguard.checks.framework.testing import run_data
from fitguard.schema.data import Labels

ONE_HOT = Labels(integral=True, one_hot=True)


def judged(shape, out, seen=ONE_HOT):
    return run_data("FG621", data(out, labels(shape, labels=seen)))


def test_training_stops():
    x, y = clusters()
    model, rows = dense(3, "softmax", SPARSE), np.eye(3, dtype="float32")[y]
    with pytest.raises(ValueError, match="must have rank"):
        fitted(model, x, rows)
    (finding,) = checked(model, x, rows)
    assert (finding.code, finding.severity) == ("FG621", "error")
    assert finding.title.startswith("y is one-hot, rows of shape (3,), but the loss of out")
    assert "y.argmax(-1)" in finding.fix.text
    assert checked(model, x, y) == ()
    twin = dense(3, "softmax", SPARSE)
    assert fitted(twin, x, rows.argmax(-1), rounds=10)[-1] < 1


def test_tf_keras():
    import tf_keras

    x, y = clusters()
    model, rows = dense(3, "softmax", SPARSE, keras=tf_keras), np.eye(3)[y]
    with pytest.raises(ValueError, match=r"labels.shape. must equal"):
        fitted(model, x, rows)
    assert [finding.code for finding in checked(model, x, rows)] == ["FG621"]


def test_rows_of_another_width():
    assert judged((4,), output()).findings[0].code == "FG621"


@pytest.mark.parametrize(
    ("shape", "out", "seen"),
    [
        ((3,), output(), Labels(integral=False, one_hot=False)),
        ((3,), output(), None),
        ((5,), output(shape=(None, 5, 3)), ONE_HOT),
        ((1,), output(), ONE_HOT),
        ((3,), output("categorical_crossentropy"), ONE_HOT),
        ((3,), output("own", custom=True), ONE_HOT),
        ((3,), output(shape=None), ONE_HOT),
    ],
    ids=["shares", "unread", "tokens", "column", "categorical", "custom", "unknown"],
)
def test_fine(shape, out, seen):
    assert judged(shape, out, seen).passed == ("FG621",)
