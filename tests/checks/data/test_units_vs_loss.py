"""FG632: units that cannot work with the loss."""

import numpy as np
import pytest
from checks.data.label_facts import BINARY, CATEGORICAL, MSE, SPARSE, data, labels, output
from checks.data.label_models import checked, clusters, codes, dense, fitted

from fitguard.checks.framework.testing import run_data


def judged(out, *fields, **more):
    return run_data("FG632", data(out, *fields, **more))


def test_softmax_on_one_unit_always_says_one():
    x, y = clusters(2)
    wrong = dense(1, "softmax", BINARY, metrics=["accuracy"])
    right = dense(1, "sigmoid", BINARY, metrics=["accuracy"])
    fitted(wrong, x, y, rounds=30)
    fitted(right, x, y, rounds=30)
    assert np.allclose(wrong.predict(x, verbose=0), 1.0)
    assert wrong.evaluate(x, y, verbose=0)[1] == 0.5
    assert right.evaluate(x, y, verbose=0)[1] == 1.0
    (finding,) = checked(wrong, x, y)
    assert (finding.code, finding.severity) == ("FG632", "error")
    assert finding.title == "The output out has one unit, and its softmax is 1.0 for every input"
    assert checked(right, x, y) == ()


def test_categorical_loss_on_one_unit_is_zero():
    x, y = clusters(2)
    model = dense(1, "sigmoid", CATEGORICAL)
    assert set(fitted(model, x, y, rounds=30)) == {0.0}
    assert not (model.predict(x, verbose=0)[y == 1] > 0.5).any()
    assert codes(model, x, y) == ["FG632"]


def test_sparse_loss_on_one_unit():
    x, y = clusters(2)
    model = dense(1, "sigmoid", SPARSE)
    with pytest.raises(Exception, match=r"outside the valid range of \[0, 1\)"):
        fitted(model, x, y)
    assert codes(model, x, y) == ["FG632"]


def test_binary_loss_on_two_units_with_one_label():
    x, y = clusters(2)
    model = dense(2, "sigmoid", BINARY)
    with pytest.raises(ValueError, match="must have the same rank"):
        fitted(model, x, y)
    (finding,) = checked(model, x, y)
    assert finding.code == "FG632"
    assert finding.title.startswith("out has 2 units, y one label a sample")
    assert codes(model, x, np.eye(2)[y]) == []


def test_without_data():
    assert judged(output(CATEGORICAL, (None, 1), "linear")).findings


@pytest.mark.parametrize(
    "out",
    [
        output(),
        output(BINARY, (None, 1), "sigmoid"),
        output(MSE, (None, 1), "linear"),
        output(MSE, (None, 5, 1), "softmax"),
        output("kl_divergence", (None, 1), "sigmoid"),
        output("own", (None, 1), "sigmoid", custom=True),
        output(CATEGORICAL, None),
        output(None, (None, 1), "softmax"),
    ],
)
def test_fine(out):
    assert judged(out).passed == ("FG632",)


def test_softmax_on_one_unit_is_wrong_with_any_loss():
    assert judged(output("own", (None, 1), custom=True)).findings


def test_one_hot_labels_for_two_units():
    assert not judged(output(BINARY, (None, 2), "sigmoid"), labels((2,))).findings


def test_own_training_step():
    assert judged(output(CATEGORICAL, (None, 1)), custom_step=True).skipped


def test_a_quantity_behind_softmax():
    (finding,) = run_data("FG632", data(output(MSE, (None, 1), "softmax"))).findings
    assert "For a quantity: no activation" in finding.fix.text
